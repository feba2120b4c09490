/**
 * The parts of a physical record (ISO 2709, as MARC21 uses it): a leader of 24 bytes; the directory, with 12 bytes for
 * each field (tag, length, start); the fields. A directory and a field end with a field terminator, a record with a
 * record terminator.
 */

export const SUBFIELD_DELIMITER = 0x1f;
export const FIELD_TERMINATOR = 0x1e;
export const RECORD_TERMINATOR = 0x1d;

export const LEADER_LENGTH = 24;
export const ENTRY_LENGTH = 12;
/** Bytes: the largest numbers that fit their digits, 5 in a leader and 4 in a directory entry. */
export const LONGEST_RECORD = 99_999;
export const LONGEST_FIELD = 9_999;

/** Positions in a leader. */
export const STATUS_AT = 5;
export const TYPE_AT = 6;
export const CODING_AT = 9;
export const BASE_ADDRESS_AT = 12;

/** The bytes of a field without its terminator. */
export interface FieldBytes {
  readonly tag: string;
  readonly bytes: Buffer;
}

/** The number in `count` digits at a position, or -1 when they are not all digits. */
export function numberAt(bytes: Uint8Array, at: number, count: number): number {
  let number = 0;
  for (let digit = at; digit < at + count; digit++) {
    const value = bytes[digit]! - 0x30;
    // Also false beyond the end.
    if (!(value >= 0 && value <= 9)) return -1;
    number = number * 10 + value;
  }
  return number;
}

/** A number padded with zeros, as in leaders and directories. */
export const digits = (number: number, count: number): string => String(number).padStart(count, '0');

/** Control fields have neither indicators nor subfields: 001 to 009. */
export const isControlTag = (tag: string): boolean => tag.startsWith('00');

/** Whether the tag at a position is that of a control field. */
export const isControlAt = (bytes: Uint8Array, at: number): boolean => bytes[at] === 0x30 && bytes[at + 1] === 0x30;
