import { TidemarkError } from '../core/errors.ts';
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

/**
 * The entries of a part by its name.
 * @param what names the whole in messages, such as `the Resource Dump`
 * @throws TidemarkError `not-found`
 */
export function partNamed<Part>(parts: readonly Part[], name: string, what: string): Part {
  const part = parts.find((_, at) => nameOfPart(at) === name);
  if (part !== undefined) return part;
  throw new TidemarkError('not-found', `there is no part "${name}" of ${what}`, { name });
}
