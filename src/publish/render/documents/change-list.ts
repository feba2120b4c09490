import type { Change } from '../../../core/change.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { type EntryStyle, urlEntry } from './entry.ts';
import { joinTexts } from './join-texts.ts';
import { documentHead } from './sitemap.ts';

export interface ChangeListHead {
  /** The boundary below the first change. */
  readonly from: Stamp;
  /** The boundary above the last change, once no more can come: it closes the list (ResourceSync 1.1, 7). */
  readonly until?: Stamp | undefined;
  readonly capabilityList: string;
  /** The index that this window belongs to. */
  readonly index?: string | undefined;
  /** Only in the list that the Capability List names: a closed window never changes. */
  readonly archives?: string | undefined;
}

/** A Change List up to its first entry (ResourceSync 1.1, 12.1). */
export function changeListHead({ from, until, capabilityList, index, archives }: ChangeListHead): string {
  return documentHead({
    root: 'urlset',
    links: { up: capabilityList, index, archives },
    md: {
      capability: 'changelist',
      from: formatStamp(from),
      until: until === undefined ? undefined : formatStamp(until),
    },
  });
}

/** Changes in the order given, which is ascending by stamp. */
export function changeEntries(changes: readonly Change[], style: EntryStyle): string {
  return joinTexts(changes, ({ key, kind, stamp, state }) => {
    const event = ` change="${kind}" datetime="${formatStamp(stamp)}"`;
    // ResourceSync 1.1, 12.1: there is no state after a deletion, so the entry has none.
    return urlEntry({ key, state: kind === 'deleted' ? undefined : state, stamp, event }, style);
  });
}
