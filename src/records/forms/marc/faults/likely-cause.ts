import { isUtf8 } from 'node:buffer';
import { sizeOf } from '../../../../lib/bytes/utf8.ts';
import type { FaultKind } from '../../../errata/fault-kinds.ts';
import { ENTRY_LENGTH, FIELD_TERMINATOR, LEADER_LENGTH, numberAt, SUBFIELD_DELIMITER } from '../iso2709.ts';
import { baseAddressOf } from '../plain-leader.ts';

const ESCAPE = 0x1b;
const LINE_FEED = 0x0a;
const VOWELS: ReadonlySet<number> = new Set(Buffer.from('aeiouyAEIOUY'));
/** Marks that MARC-8 has before a vowel: grave, acute, circumflex, diaeresis. In Latin-1, á, â, ã and è. */
const MARKS: ReadonlySet<number> = new Set([0xe1, 0xe2, 0xe3, 0xe8]);
/** Tilde and cedilla, with the letters that have them. */
const OTHER_MARKS: ReadonlySet<number> = new Set([0xe4_6e, 0xe4_4e, 0xf0_63, 0xf0_43]);

/** What the bytes of a record show of their encoding. */
interface Evidence {
  /** Characters of several bytes that are UTF-8. */
  utf8: number;
  /** Bytes that are not UTF-8, and are probably letters of Latin-1, or marks of MARC-8. */
  latin1: number;
  marc8: number;
}

/** Why bytes are not UTF-8 although leader/09 says so. @param at the first of them */
export function kindOfInvalidUtf8(bytes: Buffer, at: number): FaultKind {
  if (bytes.includes(ESCAPE, LEADER_LENGTH)) return 'marc-8-as-utf-8';
  const { utf8, latin1, marc8 } = evidenceOf(bytes);
  if (utf8 > 0 && isCut(bytes, at)) return 'cut-character';
  if (utf8 > latin1 + marc8) return 'not-utf-8';
  if (marc8 > latin1) return 'marc-8-as-utf-8';
  return latin1 > 0 ? 'latin-1' : 'not-utf-8';
}

/** Why bytes are not MARC-8. */
export function kindOfInvalidMarc8(bytes: Buffer): FaultKind {
  return !bytes.includes(ESCAPE, LEADER_LENGTH) && evidenceOf(bytes).utf8 > 0 ? 'utf-8-as-marc-8' : 'not-marc-8';
}

function evidenceOf(bytes: Buffer): Evidence {
  const evidence: Evidence = { utf8: 0, latin1: 0, marc8: 0 };
  for (let at = LEADER_LENGTH; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte < 0x80) continue;
    const size = sizeOf(byte);
    if (size > 1 && at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size))) {
      evidence.utf8 += 1;
      at += size - 1;
    } else if (isMark(bytes, at)) evidence.marc8 += 1;
    else if (byte >= 0xc0 || (byte >= 0x91 && byte <= 0x97)) evidence.latin1 += 1;
  }
  return evidence;
}

function isMark(bytes: Buffer, at: number): boolean {
  const [byte, next] = [bytes[at]!, bytes[at + 1] ?? 0];
  return (MARKS.has(byte) && VOWELS.has(next)) || OTHER_MARKS.has((byte << 8) | next);
}

/** Whether a character of several bytes begins there, and its field or subfield ends within it. */
function isCut(bytes: Buffer, at: number): boolean {
  const size = sizeOf(bytes[at]!);
  let end = at + 1;
  while (end < at + size && (bytes[end]! & 0xc0) === 0x80) end++;
  return size > 1 && end < at + size && (bytes[end] === FIELD_TERMINATOR || bytes[end] === SUBFIELD_DELIMITER);
}

/** Why a length of a directory is wrong. The leader is not asked: it may have been corrected. */
export function kindOfWrongLength(bytes: Buffer): FaultKind {
  const missing = bytes.length - lengthByDirectory(bytes);
  const pairs = bytes.toString('latin1').match(/\r\n/g)?.length ?? 0;
  if (pairs > 0 && missing === pairs) return 'line-ends';
  const single = countOf(bytes, LINE_FEED) - pairs;
  if (single > 0 && missing === -single) return 'line-ends';
  const more = bytes.length - [...bytes.toString('utf8')].length;
  return more > 0 && missing === more ? 'lengths-in-characters' : 'field-length';
}

/** Bytes of a record, as the lengths in its directory say. */
function lengthByDirectory(bytes: Buffer): number {
  const base = baseAddressOf(bytes);
  let total = base + 1;
  for (let entry = LEADER_LENGTH; entry + ENTRY_LENGTH < base; entry += ENTRY_LENGTH) {
    total += Math.max(0, numberAt(bytes, entry + 3, 4));
  }
  return total;
}

function countOf(bytes: Buffer, wanted: number): number {
  let count = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) count += 1;
  return count;
}
