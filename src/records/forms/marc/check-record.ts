import { isUtf8 } from 'node:buffer';
import { firstInvalid } from '../../../lib/bytes/utf8.ts';
import type { ByteFault } from './faults/describe-fault.ts';
import { fieldPlaces } from './faults/field-places.ts';
import { kindOfInvalidUtf8, kindOfWrongLength } from './faults/likely-cause.ts';
import { hexOf, readableText } from './faults/readable-text.ts';
import {
  BASE_ADDRESS_AT,
  CODING_AT,
  digits,
  ENTRY_LENGTH,
  FIELD_TERMINATOR,
  LEADER_LENGTH,
  LONGEST_FIELD,
  numberAt,
  RECORD_TERMINATOR,
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
  problem: ByteFault | undefined;
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

function checkLeader(bytes: Buffer): ByteFault | undefined {
  if (bytes.length < LEADER_LENGTH + 2) {
    const what = `has ${bytes.length} bytes, which are too few for a record: a leader alone has 24`;
    return { kind: 'not-a-record', what, at: 0, length: bytes.length };
  }
  for (let at = 0; at < LEADER_LENGTH; at++) {
    if (bytes[at]! >= SPACE && bytes[at]! <= TILDE) continue;
    const what = `has the byte ${hexOf(bytes[at]!)} in leader/${digits(at, 2)}: expected printable ASCII`;
    return { kind: 'leader', what, at };
  }
  return checkBaseAddress(bytes, numberAt(bytes, BASE_ADDRESS_AT, 5));
}

function checkBaseAddress(bytes: Buffer, base: number): ByteFault | undefined {
  const said = bytes.toString('latin1', BASE_ADDRESS_AT, BASE_ADDRESS_AT + 5);
  const where = `says "${said}" in leader/12-16, where the fields begin:`;
  const wrong = (expected: string): ByteFault => {
    return { kind: 'leader', what: `${where} ${expected}`, at: BASE_ADDRESS_AT, length: 5 };
  };
  if (base <= LEADER_LENGTH || base >= bytes.length) return wrong('expected the length of leader and directory');
  if ((base - LEADER_LENGTH - 1) % ENTRY_LENGTH !== 0) {
    return longFieldIn(bytes) ?? wrong('expected 25 and a multiple of 12');
  }
  if (bytes[base - 1] !== FIELD_TERMINATOR) return wrong('the list of fields (directory) does not end there');
  return undefined;
}

function checkFields(bytes: Buffer, found: Findings): ByteFault | undefined {
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
    if (!isTag(bytes, entry) || length < 1 || start < base) return oddEntry(bytes, entry);
    if (last >= end) return wrongLength(bytes, { entry, length, last });
    if (bytes[last] !== FIELD_TERMINATOR) return wrongLength(bytes, { entry, length, last });
    isInOrder &&= start === next;
    next = last + 1;
    total += length;
    if (total > end - base) {
      const what = 'begins within another field: the lengths in the directory of the record are wrong';
      return { kind: kindOfWrongLength(bytes), what, at: start, entry };
    }
    const isControl = bytes[entry] === ZERO && bytes[entry + 1] === ZERO;
    if (!isControl && !beginsAsDataField(bytes, start, last)) {
      return oddBeginning(bytes, { entry, start, last });
    }
    const text = checkText(bytes, isControl ? start : start + 2, last, isControl);
    if (text < 0) return oddByte(bytes, -text, isControl);
    seen |= text;
    if (found.idEnd === 0 && isControl && bytes[entry + 2] === 0x31) {
      found.idStart = start;
      found.idEnd = last;
    }
  }
  return checkCoding(bytes, found, { seen, isInOrder: isInOrder && next === end });
}

/** An entry of the directory that is not a tag and two numbers. */
function oddEntry(bytes: Buffer, entry: number): ByteFault {
  const number = (entry - LEADER_LENGTH) / ENTRY_LENGTH + 1;
  if (!isTag(bytes, entry)) {
    const what = `has a tag that is not three letters or digits (number ${number} in the list of fields, the directory)`;
    return { kind: 'tag', what, at: entry, length: 3, entry };
  }
  const text = readableText(bytes.subarray(entry + 3, entry + ENTRY_LENGTH));
  const what = `has "${text}" as its length and place in the list of fields (directory): expected nine digits`;
  return { kind: 'field-length', what, at: entry + 3, length: 9, entry };
}

/** A field that is too long for the four digits of its length: programs write five, or 9999. */
function longFieldIn(bytes: Buffer): ByteFault | undefined {
  const long = fieldPlaces(bytes).find(({ start, end }) => end - start >= LONGEST_FIELD);
  if (long === undefined) return undefined;
  const what = `has ${long.end - long.start} bytes: a field of MARC21 has at most ${LONGEST_FIELD - 1}`;
  return { kind: 'long-field', what, at: long.start + LONGEST_FIELD - 1, entry: long.entry };
}

interface WrongLength {
  readonly entry: number;
  readonly length: number;
  /** The byte that should end the field. */
  readonly last: number;
}

function wrongLength(bytes: Buffer, { entry, length, last }: WrongLength): ByteFault {
  const long = longFieldIn(bytes);
  if (long !== undefined) return long;
  const said = `has a wrong length: the list of fields (directory) says ${length} bytes, and`;
  const what = last >= bytes.length - 1 ? `${said} the record ends before` : `${said} the field does not end there`;
  return { kind: kindOfWrongLength(bytes), what, at: Math.min(last, bytes.length - 1), entry };
}

function oddBeginning(
  bytes: Buffer,
  { entry, start, last }: { entry: number; start: number; last: number },
): ByteFault {
  const delimiter = bytes.indexOf(SUBFIELD_DELIMITER, start);
  const end = delimiter < 0 || delimiter > last ? last : delimiter;
  const found = end === start ? 'nothing' : `"${readableText(bytes.subarray(start, Math.min(end, start + 9)))}"`;
  const what = `begins with ${found}: expected two indicators and a subfield`;
  return { kind: 'indicators', what, at: start, length: Math.min(Math.max(end - start, 1), 9), entry };
}

/** A byte that no text of a field has. */
function oddByte(bytes: Buffer, at: number, isControl: boolean): ByteFault {
  const byte = hexOf(bytes[at]!);
  if (isControl && bytes[at] === SUBFIELD_DELIMITER) {
    return { kind: 'subfield-in-control-field', what: 'has a subfield (1F): a control field has none', at };
  }
  if (!isControl && bytes[at - 1] === SUBFIELD_DELIMITER) {
    const what = `has the byte ${byte} in the place of the code of a subfield: expected a letter or a digit`;
    return { kind: 'subfield-code', what, at };
  }
  if (bytes[at] === FIELD_TERMINATOR || bytes[at] === RECORD_TERMINATOR) {
    const what = `has the separator of ${bytes[at] === FIELD_TERMINATOR ? 'fields (1E)' : 'records (1D)'} in its text`;
    return { kind: 'separator-in-text', what, at };
  }
  return { kind: 'control-character', what: `has the control character ${byte} in its text`, at };
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
function checkCoding(bytes: Buffer, found: Findings, { seen, isInOrder }: Layout): ByteFault | undefined {
  if (!isInOrder || !hasUsualLeader(bytes)) found.repair = 'layout';
  const isSaid = bytes[CODING_AT] === CODED_IN_UTF8;
  if (!isSaid && found.repair === 'none') found.repair = 'coding';
  if (seen === 0) {
    if (!isSaid && hasReferences(bytes)) found.repair = 'marc8';
    return undefined;
  }
  if ((seen & ESCAPED) !== 0) {
    if (isSaid) return escaped(bytes);
    found.repair = 'marc8';
    return undefined;
  }
  if (isUtf8(bytes)) return noncharacterIn(bytes);
  if (isSaid) return invalidUtf8(bytes);
  found.repair = 'marc8';
  return undefined;
}

function escaped(bytes: Buffer): ByteFault {
  const at = bytes.indexOf(ESCAPE, LEADER_LENGTH);
  const what = 'switches to another character set of MARC-8 (1B), although leader/09 is "a"';
  return { kind: 'marc-8-as-utf-8', what, at };
}

function invalidUtf8(bytes: Buffer): ByteFault {
  const at = firstInvalid(bytes);
  const what = `has the byte ${hexOf(bytes[at]!)}, which is not UTF-8, although leader/09 is "a"`;
  return { kind: kindOfInvalidUtf8(bytes, at), what, at };
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
function noncharacterIn(bytes: Buffer): ByteFault | undefined {
  if (!bytes.includes(FIRST_BYTE_OF_NONCHARACTERS)) return undefined;
  const at = NONCHARACTERS.map((bad) => bytes.indexOf(bad)).find((place) => place !== -1);
  if (at === undefined) return undefined;
  return { kind: 'noncharacter', what: 'has U+FFFE or U+FFFF, which is not a character', at, length: 3 };
}

/** Whether three letters or digits are at a position. */
export function isTag(bytes: Buffer, at: number): boolean {
  return isAlphanumeric(bytes[at]!) && isAlphanumeric(bytes[at + 1]!) && isAlphanumeric(bytes[at + 2]!);
}

const isAlphanumeric = (byte: number): boolean =>
  (byte >= ZERO && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
