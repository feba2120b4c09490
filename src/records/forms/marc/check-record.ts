import { isUtf8 } from 'node:buffer';
import { firstInvalid } from '../../../lib/bytes/utf8.ts';
import {
  BASE_ADDRESS_AT,
  CODING_AT,
  ENTRY_LENGTH,
  FIELD_TERMINATOR,
  LEADER_LENGTH,
  numberAt,
  SUBFIELD_DELIMITER,
} from './iso2709.ts';

const SPACE = 0x20;
const TILDE = 0x7e;
const ESCAPE = 0x1b;
const ZERO = 0x30;
const CODED_IN_UTF8 = 0x61;
/** The beginning of a numeric character reference, which MARC-8 has in place of characters outside of its sets. */
const REFERENCE = Buffer.from('&#x');
const NUMBER_SIGN = 0x23;

/** Result of a check. One object is reused for all records: reading is the hot path. */
export interface Findings {
  /** The fault; undefined for a record that can be kept. */
  problem: string | undefined;
  /**
   * - `none`: the bytes can be kept as they are
   * - `coding`: only leader/09 does not declare UTF-8
   * - `layout`: lengths, the order of fields or the leader are irregular, though each field can be read
   * - `marc8`: it must be decoded
   */
  repair: 'none' | 'coding' | 'layout' | 'marc8';
  /** Start and end of the value of 001; both are 0 without one. */
  idStart: number;
  idEnd: number;
}

/**
 * Checks one physical record: leader, directory, each field, and that XML allows its text. Wrong lengths in the leader
 * are not a fault when the directory is right: they contain no more information than the terminators.
 */
export function checkRecord(bytes: Buffer, found: Findings): void {
  found.repair = 'none';
  found.idStart = 0;
  found.idEnd = 0;
  found.problem = checkLeader(bytes) ?? checkFields(bytes, found);
}

function checkLeader(bytes: Buffer): string | undefined {
  if (bytes.length < LEADER_LENGTH + 2) return `${bytes.length} bytes are too few for a record: a leader has 24`;
  for (let at = 0; at < LEADER_LENGTH; at++) {
    if (bytes[at]! < SPACE || bytes[at]! > TILDE) return `${byteAt(bytes, at)} in the leader: expected printable ASCII`;
  }
  const base = numberAt(bytes, BASE_ADDRESS_AT, 5);
  const said = `the base address in its leader is "${bytes.toString('latin1', BASE_ADDRESS_AT, BASE_ADDRESS_AT + 5)}"`;
  if (base <= LEADER_LENGTH || base >= bytes.length) return `${said}: expected the length of leader and directory`;
  if ((base - LEADER_LENGTH - 1) % ENTRY_LENGTH !== 0) return `${said}: expected 25 and a multiple of 12`;
  if (bytes[base - 1] !== FIELD_TERMINATOR) {
    return `${byteAt(bytes, base - 1)} at the end of the directory: expected a field terminator (1E)`;
  }
  return undefined;
}

function checkFields(bytes: Buffer, found: Findings): string | undefined {
  const base = numberAt(bytes, BASE_ADDRESS_AT, 5);
  // The record terminator exists: records are cut at it.
  const end = bytes.length - 1;
  let next = base;
  let total = 0;
  let seen = 0;
  let isInOrder = true;
  for (let entry = LEADER_LENGTH; entry < base - 1; entry += ENTRY_LENGTH) {
    const length = numberAt(bytes, entry + 3, 4);
    const start = numberAt(bytes, entry + 7, 5) + base;
    const last = start + length - 1;
    if (!isTag(bytes, entry) || length < 1 || start < base)
      return `${entryAt(bytes, entry)}: expected a tag and digits`;
    if (last >= end) return `${entryAt(bytes, entry)}: it ends behind the end of the record`;
    if (bytes[last] !== FIELD_TERMINATOR) {
      return `${entryAt(bytes, entry)}: expected a field terminator (1E) at its end, there is ${byteAt(bytes, last)}`;
    }
    isInOrder &&= start === next;
    next = last + 1;
    total += length;
    if (total > end - base) return 'fields of its directory overlap';
    const isControl = bytes[entry] === ZERO && bytes[entry + 1] === ZERO;
    if (!isControl && !beginsAsDataField(bytes, start, last)) {
      return `${entryAt(bytes, entry)}: expected two indicators and a subfield delimiter (1F) at byte ${start}`;
    }
    const text = checkText(bytes, isControl ? start : start + 2, last, isControl);
    if (text < 0) {
      const tag = bytes.toString('latin1', entry, entry + 3);
      return `${byteAt(bytes, -text)} in field ${tag}: ${expectedAt(bytes, -text, isControl)}`;
    }
    seen |= text;
    if (found.idEnd === 0 && isControl && bytes[entry + 2] === 0x31) {
      found.idStart = start;
      found.idEnd = last;
    }
  }
  return checkCoding(bytes, found, { seen, isInOrder: isInOrder && next === end });
}

const EXPECTED_TEXT = 'expected text, without control characters';

/** What a field should have in the place of a byte. */
function expectedAt(bytes: Buffer, at: number, isControl: boolean): string {
  const byte = bytes[at]!;
  if (isControl) return byte === SUBFIELD_DELIMITER ? 'a control field has no subfields' : EXPECTED_TEXT;
  if (bytes[at - 1] !== SUBFIELD_DELIMITER) return EXPECTED_TEXT;
  return 'expected a code of printable ASCII after the subfield delimiter (1F)';
}

const HIGH = 0x80;
const ESCAPED = 0x100;

/**
 * Classifies the bytes of a field: `HIGH` when some are not ASCII, `ESCAPED` when one is ESC. For a byte that is not
 * allowed in a field, returns its position as a negative number.
 */
function checkText(bytes: Buffer, from: number, to: number, isControl: boolean): number {
  let seen = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    seen |= byte;
    if (byte >= SPACE) continue;
    if (byte === SUBFIELD_DELIMITER && !isControl) {
      const code = bytes[++at]!;
      if (code < SPACE || code > TILDE) return -at;
    } else if (byte === ESCAPE) seen |= ESCAPED;
    else if (byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return -at;
  }
  return seen & (HIGH | ESCAPED);
}

/** Whether a field begins with two indicators, followed by a subfield or nothing. */
function beginsAsDataField(bytes: Buffer, start: number, last: number): boolean {
  const [first, second] = [bytes[start]!, bytes[start + 1]!];
  const isIndicated = first >= SPACE && first <= TILDE && second >= SPACE && second <= TILDE;
  return isIndicated && (last === start + 2 || bytes[start + 2] === SUBFIELD_DELIMITER);
}

interface Layout {
  readonly seen: number;
  readonly isInOrder: boolean;
}

/**
 * A record is UTF-8 when its leader says so. Otherwise it is still UTF-8 if its bytes are valid UTF-8 and nothing in it
 * escapes to another character set: many systems write UTF-8 without declaring it, and MARC-8 text is not valid UTF-8
 * by accident, because the mark in front of a letter would begin a longer character.
 */
function checkCoding(bytes: Buffer, found: Findings, { seen, isInOrder }: Layout): string | undefined {
  if (!isInOrder || !hasUsualLeader(bytes)) found.repair = 'layout';
  const isSaid = bytes[CODING_AT] === CODED_IN_UTF8;
  if (!isSaid && found.repair === 'none') found.repair = 'coding';
  if (seen === 0) {
    if (!isSaid && hasReferences(bytes)) found.repair = 'marc8';
    return undefined;
  }
  if ((seen & ESCAPED) !== 0) {
    if (isSaid) return `${byteAt(bytes, bytes.indexOf(ESCAPE, LEADER_LENGTH))}: ${EXPECTED_TEXT}`;
    found.repair = 'marc8';
    return undefined;
  }
  if (isUtf8(bytes)) return noncharacterIn(bytes);
  if (isSaid) return `${byteAt(bytes, firstInvalid(bytes))}: expected UTF-8, as leader/09 says`;
  found.repair = 'marc8';
  return undefined;
}

/** Searches for a single byte first, which takes a fraction of the time. */
const hasReferences = (bytes: Buffer): boolean => bytes.includes(NUMBER_SIGN) && bytes.includes(REFERENCE);

function hasUsualLeader(bytes: Buffer): boolean {
  return (
    numberAt(bytes, 0, 5) === bytes.length &&
    bytes[10] === 0x32 &&
    bytes[11] === 0x32 &&
    bytes[20] === 0x34 &&
    bytes[21] === 0x35 &&
    bytes[22] === ZERO &&
    bytes[23] === ZERO
  );
}

/** Rare in text, so that few records need the longer search. */
const FIRST_BYTE_OF_NONCHARACTERS = 0xef;
const NONCHARACTERS = ['\ufffe', '\uffff'].map((text) => Buffer.from(text));

/** U+FFFE and U+FFFF are valid UTF-8, but XML does not allow them. */
function noncharacterIn(bytes: Buffer): string | undefined {
  if (!bytes.includes(FIRST_BYTE_OF_NONCHARACTERS)) return undefined;
  const at = NONCHARACTERS.map((bad) => bytes.indexOf(bad)).find((place) => place !== -1);
  return at === undefined ? undefined : `U+FFFE or U+FFFF at byte ${at}: ${EXPECTED_TEXT}`;
}

/** Whether three letters or digits are at a position. */
export function isTag(bytes: Buffer, at: number): boolean {
  return isAlphanumeric(bytes[at]!) && isAlphanumeric(bytes[at + 1]!) && isAlphanumeric(bytes[at + 2]!);
}

const isAlphanumeric = (byte: number): boolean =>
  (byte >= ZERO && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);

function byteAt(bytes: Buffer, at: number): string {
  const byte = bytes[at];
  const what = byte === undefined ? 'nothing' : byte.toString(16).toUpperCase().padStart(2, '0');
  return `${what} at byte ${at}`;
}

function entryAt(bytes: Buffer, at: number): string {
  const text = bytes.toString('latin1', at, at + ENTRY_LENGTH).replaceAll(/[^\x20-\x7e]/g, '?');
  return `the entry "${text}" at byte ${at} of the directory`;
}
