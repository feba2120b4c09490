import type { Resource } from '../../../core/resource.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { type EntryStyle, urlEntry } from './entry.ts';
import { documentHead } from './sitemap.ts';

export { URLSET_END } from './sitemap.ts';

export interface ManifestHead {
  /** Every change up to this boundary is included. */
  readonly at: Stamp;
  readonly capabilityList: string;
}

/** The manifest of a package, up to its first entry (ResourceSync 1.1, 11.2). */
export function manifestHead({ at, capabilityList }: ManifestHead): string {
  return documentHead({
    root: 'urlset',
    links: { up: capabilityList },
    md: { capability: 'resourcedump-manifest', at: formatStamp(at) },
  });
}

/** @param name of the entry in the package */
export function manifestEntry(
  { key, state }: Pick<Resource, 'key' | 'state'>,
  name: string,
  style: EntryStyle,
): string {
  return urlEntry({ key, state, event: '', path: `/${name}` }, style);
}
