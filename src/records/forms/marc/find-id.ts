import { isUtf8 } from 'node:buffer';
import { UnusableRecord } from './faults/unusable-record.ts';
import { CODING_AT, ENTRY_LENGTH, FIELD_TERMINATOR, LEADER_LENGTH, numberAt } from './iso2709.ts';
import { isMarcId } from './marc-id.ts';
import { decodeMarc8 } from './marc8/marc8.ts';
import { baseAddressOf } from './plain-leader.ts';

/**
 * The id of a record that has faults elsewhere; undefined when its 001 cannot be read without doubt: its entry in the
 * directory must be right, and its text be an id between two terminators.
 */
export function findId(bytes: Buffer): string | undefined {
  const base = baseAddressOf(bytes);
  for (let entry = LEADER_LENGTH; entry + ENTRY_LENGTH < base; entry += ENTRY_LENGTH) {
    const length = numberAt(bytes, entry + 3, 4);
    const start = numberAt(bytes, entry + 7, 5) + base;
    // What follows a damaged entry may be shifted.
    if (length < 1 || start < base) return undefined;
    if (bytes.toString('latin1', entry, entry + 3) !== '001') continue;
    const end = start + length - 1;
    if (bytes[start - 1] !== FIELD_TERMINATOR || bytes[end] !== FIELD_TERMINATOR) return undefined;
    return idIn(bytes.subarray(start, end), bytes[CODING_AT]);
  }
  return undefined;
}

function idIn(field: Buffer, coding: number | undefined): string | undefined {
  const isInUtf8 = isUtf8(field) && !field.includes(ESCAPE);
  if (!isInUtf8 && coding === CODED_IN_UTF8) return undefined;
  const id = (isInUtf8 ? field.toString('utf8') : decoded(field)).trim();
  return isMarcId(id) ? id : undefined;
}

/** @returns an empty text for one that is not MARC-8 */
function decoded(field: Buffer): string {
  try {
    return decodeMarc8(field);
  } catch (error) {
    if (!(error instanceof UnusableRecord)) throw error;
    return '';
  }
}

const ESCAPE = 0x1b;
const CODED_IN_UTF8 = 0x61;
