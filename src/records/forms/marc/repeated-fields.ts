import { ENTRY_LENGTH, type FieldBytes, isControlTag } from './iso2709.ts';

/** Bytes above which control fields are not repeated: a part needs room for other fields. About 150 are usual. */
const MOST_REPEATED = 20_000;

/**
 * How many of the first fields each further part of a record repeats: the 001 and the control fields that follow it, so
 * that each part is a valid record by itself; only the 001 when they are too long.
 * @param fields of the record or of its first part, with the same result
 */
export function countRepeated(fields: Iterable<FieldBytes>): number {
  let count = 0;
  let size = 0;
  for (const { tag, bytes } of fields) {
    if (count === 0 ? tag !== '001' : !isControlTag(tag)) break;
    count++;
    size += ENTRY_LENGTH + bytes.length + 1;
    if (size > MOST_REPEATED) return 1;
  }
  return count;
}
