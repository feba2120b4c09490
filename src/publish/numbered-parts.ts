import { MAX_ENTRIES } from '../core/resource-set.ts';

/** Parts of at most 50,000 entries, the limit of a document and of an index; an empty one when there are none. */
export function partsOf<Entry>(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const parts = [entries.slice(0, MAX_ENTRIES)];
  for (let at = MAX_ENTRIES; at < entries.length; at += MAX_ENTRIES) parts.push(entries.slice(at, at + MAX_ENTRIES));
  return parts;
}

export function nameOfPart(at: number): string {
  return String(at + 1).padStart(5, '0');
}
