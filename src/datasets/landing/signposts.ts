import { parseLinks } from './link-header.ts';

/** A typed link (RFC 8288), as FAIR Signposting uses them: `item`, `cite-as`, `describedby`, `linkset`, `license` … */
export interface Signpost {
  readonly rel: string;
  /** Absolute. */
  readonly href: string;
  readonly type?: string;
}

/** The most signposts of a page that are read. */
export const MOST_SIGNPOSTS = 1_000;
const LONGEST_URL = 4_096;

/** The signposts in the header Link of a page: those of other resources are left out. */
export function signpostsInHeader(header: string, url: string): readonly Signpost[] {
  return parseLinks(header, MOST_SIGNPOSTS)
    .filter(({ anchor }) => anchor === undefined || webUrl(anchor, url) === webUrl(url, url))
    .flatMap(({ href, rels, type }) => signpostsOf({ href, rels, type }, url));
}

interface TypedLink {
  readonly href: string;
  readonly rels: readonly string[];
  readonly type: string | undefined;
}

/** A signpost for each relation of a link; none when it does not lead to the web. */
export function signpostsOf({ href, rels, type }: TypedLink, base: string): readonly Signpost[] {
  const target = webUrl(href, base);
  if (target === undefined || target.length > LONGEST_URL) return [];
  return rels.map((rel) => ({ rel, href: target, ...(type !== undefined && { type: type.toLowerCase() }) }));
}

/** The absolute URL, without fragment; undefined unless it is one of http or https. */
export function webUrl(href: string, base: string): string | undefined {
  const url = URL.parse(href, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  url.hash = '';
  return url.href;
}
