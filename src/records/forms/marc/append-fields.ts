import { joinFields } from './build-record.ts';
import {
  BASE_ADDRESS_AT,
  digits,
  ENTRY_LENGTH,
  FIELD_TERMINATOR,
  type FieldBytes,
  LONGEST_RECORD,
  numberAt,
  RECORD_TERMINATOR,
} from './iso2709.ts';
import { MarcRecord } from './marc-record.ts';

/** Appends checked fields to a record. */
export function appendFields(record: MarcRecord, fields: readonly FieldBytes[]): MarcRecord {
  const { bytes } = record;
  const added = fields.reduce((sum, field) => sum + ENTRY_LENGTH + field.bytes.length + 1, 0);
  const isOnePart = numberAt(bytes, 0, 5) === bytes.length && bytes.length + added <= LONGEST_RECORD;
  if (!isOnePart) return joinFields(record.leader, [...record.fieldBytes(), ...fields]);
  return new MarcRecord(appendToPart(bytes, fields, bytes.length + added));
}

/** Copies directory and fields as they are: reading them would take three times as long. */
function appendToPart(bytes: Buffer, fields: readonly FieldBytes[], length: number): Buffer {
  const base = numberAt(bytes, BASE_ADDRESS_AT, 5);
  const newBase = base + ENTRY_LENGTH * fields.length;
  const appended = Buffer.allocUnsafe(length);
  bytes.copy(appended, 0, 0, base - 1);
  appended.write(digits(length, 5), 0, 'latin1');
  appended.write(digits(newBase, 5), BASE_ADDRESS_AT, 'latin1');
  const end = bytes.length - 1;
  bytes.copy(appended, newBase, base, end);
  let at = newBase + end - base;
  let directory = '';
  for (const field of fields) {
    directory += field.tag + digits(field.bytes.length + 1, 4) + digits(at - newBase, 5);
    at += field.bytes.copy(appended, at);
    appended[at++] = FIELD_TERMINATOR;
  }
  appended.write(directory, base - 1, 'latin1');
  appended[newBase - 1] = FIELD_TERMINATOR;
  appended[at] = RECORD_TERMINATOR;
  return appended;
}
