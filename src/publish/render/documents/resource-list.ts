import type { Resource } from '../../../core/resource.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { type EntryStyle, urlEntry } from './entry.ts';
import { joinTexts } from './join-texts.ts';
import { documentHead } from './sitemap.ts';

export { URLSET_END } from './sitemap.ts';

export interface ResourceListHead {
  /** Every change up to this boundary is included. */
  readonly at: Stamp;
  readonly capabilityList: string;
  /** The index that this page belongs to. */
  readonly index?: string | undefined;
  /** Only in the list that the Capability List names. */
  readonly archives?: string | undefined;
}

/** A Resource List, or a page of one, up to its first entry (ResourceSync 1.1, 10.1). */
export function resourceListHead({ at, capabilityList, index, archives }: ResourceListHead): string {
  return documentHead({
    root: 'urlset',
    links: { up: capabilityList, index, archives },
    md: { capability: 'resourcelist', at: formatStamp(at) },
  });
}

/** An entry without a stamp has no links to versions. */
export type ListedResource = Pick<Resource, 'key' | 'state'> & Partial<Pick<Resource, 'stamp'>>;

export function resourceEntries(resources: readonly ListedResource[], style: EntryStyle): string {
  return joinTexts(resources, ({ key, state, stamp }) => urlEntry({ key, state, stamp, event: '' }, style));
}
