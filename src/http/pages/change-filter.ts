import type { Change, ChangeKind } from '../../core/change.ts';
import { holder, parseKeySearch } from '../../core/key-search.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { LatestRange } from '../../stores/set-statistics.ts';
import { parseNameSearch, placesIn } from './parts/name-search.ts';
import { beginningOf, endOf } from './parts/page-query.ts';
import { nameOf } from './parts/resource-parts.ts';

/** The filter of a page of changes. */
export interface ChangeFilter {
  /** A text in the name, as in a search for resources; empty for all. */
  readonly q: string;
  readonly kind?: ChangeKind | undefined;
  /** The first and the last day, in UTC. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

export function isFiltered({ q, kind, from, until }: ChangeFilter): boolean {
  return q !== '' || kind !== undefined || from !== undefined || until !== undefined;
}

interface Bounds {
  readonly before: Stamp | undefined;
  /** URIs of earlier changes may have been others, and clients cannot follow those changes. */
  readonly epochStart: Stamp;
}

/** The range of the given days, within the current epoch and below a boundary. */
export function rangeOf({ from, until }: ChangeFilter, { before, epochStart }: Bounds): Omit<LatestRange, 'limit'> {
  return {
    after: from === undefined ? epochStart : Math.max(beginningOf(from), epochStart),
    before: until === undefined ? before : Math.min(endOf(until), before ?? Number.POSITIVE_INFINITY),
  };
}

/** Tests whether a change has the kind and contains the text; undefined when there is nothing to test. */
export function fitsOf({ q, kind }: ChangeFilter): ((change: Change) => boolean) | undefined {
  if (q === '' && kind === undefined) return undefined;
  const hasText = q === '' ? () => true : keyTest(q);
  return (change) => (kind === undefined || change.kind === kind) && hasText(change.key);
}

function keyTest(q: string): (key: string) => boolean {
  const names = parseNameSearch(q);
  if (!names.hasMore) return storedTest(names.stored);
  const hasStored = storedTest(names.stored);
  return (key) => hasStored(key) && placesIn(nameOf(key), names) !== undefined;
}

function storedTest(text: string): (key: string) => boolean {
  const search = parseKeySearch(text);
  if (search.where === 'anywhere') return holder(search.texts);
  return (key) => search.beginnings.some((beginning) => key.startsWith(beginning));
}
