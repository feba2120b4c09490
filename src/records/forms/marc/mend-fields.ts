import { isUtf8 } from 'node:buffer';
import { around, type Fault } from '../../errata/fault.ts';
import { joinFields } from './build-record.ts';
import { isTag } from './check-record.ts';
import { readableText } from './faults/readable-text.ts';
import {
  CODING_AT,
  ENTRY_LENGTH,
  FIELD_TERMINATOR,
  type FieldBytes,
  isControlTag,
  LEADER_LENGTH,
  LONGEST_RECORD,
  numberAt,
  SUBFIELD_DELIMITER,
} from './iso2709.ts';
import { fieldBytesOf } from './marc-record.ts';
import { mendCode, mendIndicators, Repairs } from './odd-fields.ts';
import { baseAddressOf } from './plain-leader.ts';

interface MendedRecord {
  readonly bytes: Buffer;
  /** What was repaired, or left out. */
  readonly warning: string;
  readonly fault: Fault | undefined;
}

const DELIMITER = Buffer.of(SUBFIELD_DELIMITER);

/**
 * Repairs the data fields of a physical record: their indicators, and the codes of their subfields. A field with
 * nothing in it, or without subfields, is left out. Text is not changed.
 * @param bytes with a plain leader (`withPlainLeader`)
 * @returns undefined when nothing can be repaired
 */
export function mendFields(bytes: Buffer): MendedRecord | undefined {
  if (!hasSoundDirectory(bytes)) return undefined;
  const counts = new Map<string, number>();
  const repairs = new Repairs((tag) => counts.get(tag) ?? 1);
  const isUnicode = isUtf8(bytes);
  const fields: FieldBytes[] = [];
  for (const field of fieldBytesOf(bytes)) {
    counts.set(field.tag, (counts.get(field.tag) ?? 0) + 1);
    const mended = mendField(field, isUnicode, repairs);
    if (mended !== undefined) fields.push(mended);
  }
  const warning = repairs.text;
  if (warning === undefined) return undefined;
  const record = joinFields(bytes.toString('latin1', 0, LEADER_LENGTH), fields).bytes;
  record[CODING_AT] = bytes[CODING_AT]!;
  return record.length > LONGEST_RECORD ? undefined : { bytes: record, warning, fault: repairs.fault };
}

/** Whether each entry leads to a field, which may be empty, and they do not overlap. */
function hasSoundDirectory(bytes: Buffer): boolean {
  const base = baseAddressOf(bytes);
  let total = 0;
  for (let entry = LEADER_LENGTH; entry < base - 1; entry += ENTRY_LENGTH) {
    const length = numberAt(bytes, entry + 3, 4);
    const start = numberAt(bytes, entry + 7, 5) + base;
    if (!isTag(bytes, entry) || length < 0 || start < base) return false;
    if (length > 0 && bytes[start + length - 1] !== FIELD_TERMINATOR) return false;
    total += length;
  }
  return total <= bytes.length - base;
}

function mendField(field: FieldBytes, isUnicode: boolean, repairs: Repairs): FieldBytes | undefined {
  const { tag, bytes } = field;
  if (isControlTag(tag)) return field;
  const first = bytes.indexOf(SUBFIELD_DELIMITER);
  if (first < 0 && bytes.length !== 2) {
    const what = bytes.length === 0 ? 'is empty' : 'has text without a subfield';
    const place = { field: tag, ...around('', readableText(bytes.subarray(0, 80)), '') };
    repairs.addIn(place, 'empty-field', `${what}: the field was left out`);
    return undefined;
  }
  const [one = '', ...others] = bytes.toString('latin1', 0, first < 0 ? 2 : first);
  const parts: Buffer[] = [Buffer.from(mendIndicators(tag, [one, others.join('')], repairs))];
  for (let at = first; at >= 0; ) {
    const next = bytes.indexOf(SUBFIELD_DELIMITER, at + 1);
    const subfield = bytes.subarray(at + 1, next < 0 ? bytes.length : next);
    const found = codeOf(subfield, isUnicode);
    // A byte of MARC-8 is one byte, though U+FFFD, which is shown in its place, has three.
    const rest = subfield.subarray(isUnicode ? Buffer.byteLength(found) : found.length);
    const code = mendCode(tag, { code: found, text: readableText(rest.subarray(0, 160)) }, repairs);
    if (code !== undefined) parts.push(DELIMITER, Buffer.from(code), rest);
    at = next;
  }
  return { tag, bytes: Buffer.concat(parts) };
}

/** The first character; a byte of MARC-8 that is not ASCII says nothing about a code. */
function codeOf(subfield: Buffer, isUnicode: boolean): string {
  const [first = ''] = subfield.toString(isUnicode ? 'utf8' : 'latin1', 0, 4);
  return isUnicode || first < '\x80' ? first : '\ufffd';
}
