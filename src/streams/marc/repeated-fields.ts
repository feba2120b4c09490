import { ENTRY_LENGTH, type FieldBytes, isControlTag } from './iso2709.ts';

/** Above so many bytes, control fields are not repeated: a part has to have room for others. Usual are 150. */
const MOST_REPEATED = 20_000;

/**
 * How many fields each further part of a record repeats, of the fields that it begins with: the 001 and the control
 * fields behind it, so that each part is a valid record of its own; the 001 alone when they are too long.
 * @param fields of the record or of its first part, which leads to the same number
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
