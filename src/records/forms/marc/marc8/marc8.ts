import { INVALID_TEXT } from '../build-record.ts';
import { hexOf } from '../faults/readable-text.ts';
import { UnusableBytes } from '../faults/unusable-record.ts';
import { eastAsian } from './eacc.ts';
import { ANSEL, ASCII, CHOSEN_SETS, type CharacterSet, LOWER_SETS } from './marc8-sets.ts';

const ESCAPE = 0x1b;
const SPACE = 0x20;
const DELETE = 0x7f;
const UPPER_HALF = 0x80;
const AMPERSAND = 0x26;
/** Bytes of an East Asian character. */
const WIDTH = 3;
const LONGEST_REFERENCE = 12;
const LAST_CHARACTER = 0x10ffff;

/** The control characters of MARC-8: start and end of non-sorting characters, joiner, non-joiner. */
const CONTROLS: ReadonlyMap<number, string> = new Map([
  [0x88, '\u0098'],
  [0x89, '\u009c'],
  [0x8d, '\u200d'],
  [0x8e, '\u200c'],
]);

/**
 * Decodes one control field or subfield in MARC-8 to composed text (NFC). Each begins with ASCII in the lower half of
 * the code table, and extended Latin in the upper half. Numeric character references become their characters: MARC-8
 * has them for characters outside of its sets (MARC 21 Specifications, Character Sets, Part 4, "Lossless conversion").
 * Marks at the end, without a letter behind them, are left out: they are not those of the letter before them.
 * @throws UnusableBytes for codes that the character sets do not contain
 */
export function decodeMarc8(bytes: Buffer): string {
  let lower = ASCII;
  let upper = ANSEL;
  let text = '';
  let marks = '';
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at]!;
    if (byte === ESCAPE) {
      const chosen = readEscape(bytes, at);
      if (chosen.isLower) lower = chosen.set;
      else upper = chosen.set;
      at += chosen.length;
      continue;
    }
    const reference = byte === AMPERSAND && lower === ASCII ? referenceAt(bytes, at) : undefined;
    if (reference !== undefined) {
      text += characterOfReference(reference) + marks;
      marks = '';
      at += reference.length;
      continue;
    }
    const set = byte < UPPER_HALF ? lower : upper;
    if (set.isWide && (byte & 0x7f) > SPACE) {
      text += wideCharacterAt(bytes, at, set) + marks;
      marks = '';
      at += WIDTH;
      continue;
    }
    const mark = set.marks.get(byte & 0x7f);
    if (mark !== undefined) marks += mark;
    else {
      text += characterOf(bytes, at, set) + marks;
      marks = '';
    }
    at++;
  }
  return text.normalize('NFC');
}

/** The numeric character reference at a position, valid or not: `&#x03B1;`. */
function referenceAt(bytes: Buffer, at: number): string | undefined {
  return /^&#x[\dA-Fa-f]{1,8};/.exec(bytes.toString('latin1', at, at + LONGEST_REFERENCE))?.[0];
}

/** The character that a reference has in its place; the reference itself when it has none that XML allows. */
function characterOfReference(reference: string): string {
  const point = reference.slice(3, -1);
  const number = Number.parseInt(point, 16);
  if (point.length < 4 || number > LAST_CHARACTER) return reference;
  const character = String.fromCodePoint(number);
  return INVALID_TEXT.test(character) ? reference : character;
}

function characterOf(bytes: Buffer, at: number, set: CharacterSet): string {
  const byte = bytes[at]!;
  if (byte <= SPACE) return String.fromCharCode(byte);
  const isControl = byte >= DELETE && byte <= UPPER_HALF + SPACE;
  const character = isControl ? CONTROLS.get(byte) : set.letters.get(byte & 0x7f);
  if (character !== undefined) return character;
  throw notIn(set, bytes.subarray(at, at + 1));
}

function wideCharacterAt(bytes: Buffer, at: number, set: CharacterSet): string {
  const code = bytes.subarray(at, at + WIDTH);
  const character = code.length < WIDTH ? undefined : set.letters.get(code.readUIntBE(0, WIDTH) & 0x7f_7f_7f);
  if (character !== undefined) return character;
  throw notIn(set, code);
}

function notIn(set: CharacterSet, bytes: Buffer): UnusableBytes {
  const found = `${bytes.length === 1 ? 'the byte' : 'the bytes'} ${[...bytes].map(hexOf).join(' ')}`;
  const what = `has ${found}, which MARC-8 does not have in ${set.name}, and leader/09 does not say UTF-8`;
  return new UnusableBytes(what, bytes);
}

interface Chosen {
  readonly set: CharacterSet;
  readonly isLower: boolean;
  /** Length of the escape sequence in bytes. */
  readonly length: number;
}

function readEscape(bytes: Buffer, at: number): Chosen {
  const sequence = bytes.toString('latin1', at + 1, at + 4);
  const set = LOWER_SETS.get(sequence.slice(0, 1));
  if (set !== undefined) return { set, isLower: true, length: 2 };
  const half = HALVES.get(sequence.slice(0, 1));
  const final = sequence[1] === '!' ? sequence.slice(1, 3) : sequence.slice(1, 2);
  const chosen = CHOSEN_SETS.get(final);
  if (half !== undefined && chosen !== undefined) {
    return { set: chosen, isLower: half === 'lower', length: 2 + final.length };
  }
  const wide = /^\$([(),-]?)1/.exec(sequence);
  if (wide !== null) {
    return { set: eastAsian(), isLower: HALVES.get(wide[1]!) !== 'upper', length: 1 + wide[0].length };
  }
  const sequenceBytes = bytes.subarray(at, at + 4);
  const hex = [...sequenceBytes].map(hexOf).join(' ');
  throw new UnusableBytes(`switches to a character set that MARC-8 does not have (${hex})`, sequenceBytes);
}

const HALVES: ReadonlyMap<string, 'lower' | 'upper'> = new Map([
  ['(', 'lower'],
  [',', 'lower'],
  [')', 'upper'],
  ['-', 'upper'],
]);
