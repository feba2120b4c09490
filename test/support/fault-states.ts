import type { ResourceState } from '../../src/core/resource.ts';
import { formatSeconds } from '../../src/core/w3c-datetime.ts';

/** The fields of a posted event that describe a resource. */
export interface PostedState {
  readonly length: number;
  readonly mime: string;
  readonly lastmod: string;
  readonly hash: string;
  readonly ln: readonly { readonly rel: string; readonly href: { readonly type: 'url'; readonly value: string } }[];
}

const DESCRIPTION = 'https://elsewhere.example.org/description';
const BEGIN = Date.UTC(2026, 0, 1) / 1000;

/** A state that has every published field, each one depending on the length. */
export function stateOf(length: number): ResourceState {
  return {
    lastmod: BEGIN + (length % 1_000_000),
    length,
    hashes: { md5: length.toString(16).padStart(32, '0') },
    mime: `application/vnd.test-${length}`,
    links: [{ rel: 'describedby', href: `${DESCRIPTION}/${length}` }],
  };
}

/** The same state as a client posts it. */
export function postedState(length: number): PostedState {
  const { lastmod, hashes, mime, links } = stateOf(length);
  return {
    length,
    mime: mime!,
    lastmod: formatSeconds(lastmod!),
    hash: `md5:${hashes!.md5}`,
    ln: links!.map(({ rel, href }) => ({ rel, href: { type: 'url', value: href } })),
  };
}
