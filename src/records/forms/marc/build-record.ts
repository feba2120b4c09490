import { around, type FaultPlace, subjectOf } from '../../errata/fault.ts';
import type { FaultKind } from '../../errata/fault-kinds.ts';
import { visible } from './faults/readable-text.ts';
import { UnusableRecord } from './faults/unusable-record.ts';
import {
  CODING_AT,
  digits,
  ENTRY_LENGTH,
  FIELD_TERMINATOR,
  type FieldBytes,
  isControlTag,
  LEADER_LENGTH,
  LONGEST_FIELD,
  LONGEST_RECORD,
  RECORD_TERMINATOR,
} from './iso2709.ts';
import { isControlField, type MarcField, MarcRecord } from './marc-record.ts';
import { countRepeated } from './repeated-fields.ts';

/**
 * Characters that XML 1.0 does not allow, including those that MARC21 uses for its structure; and single surrogates.
 */
export const INVALID_TEXT = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const OTHER_THAN_ASCII = /[^\x20-\x7e]/u;
const LEADER = /^[\x20-\x7e]{24}$/;
const TAG = /^[0-9A-Za-z]{3}$/;
const INDICATORS = /^[\x20-\x7e]{2}$/;
/** Some systems write a blank code, which MARC21 has not: its text is kept. */
const CODE = /^[\x20-\x7e]$/;

/** Bytes of a physical record besides its fields: the leader, and the terminators of directory and record. */
const FRAME = LEADER_LENGTH + 2;

/**
 * Makes a record of fields. Its leader gets the lengths and addresses that MARC21 requires, and declares UTF-8. A
 * record above 99,999 bytes becomes several physical records: each has the leader, the 001 and the control fields that
 * follow it, and as many of the other fields as fit.
 * @param leader 24 characters
 * @throws UnusableRecord
 */
export function buildRecord(leader: string, fields: Iterable<MarcField>): MarcRecord {
  if (!LEADER.test(leader)) {
    const bad = OTHER_THAN_ASCII.exec(leader)?.[0];
    const found = bad === undefined ? leader.length : `${pointOf(bad)} in leader/${digits(leader.indexOf(bad), 2)}`;
    throw new UnusableRecord(
      `the leader is ${JSON.stringify(leader)}: expected 24 characters of printable ASCII, it has ${found}`,
      { kind: 'leader', field: 'LDR' },
    );
  }
  return joinFields(
    leader,
    [...fields].map((field, at, all) => encodeField(field, { at, all })),
  );
}

/** A record that is a deletion, and of which nothing but the id can be read. @param id that can be one */
export function deletionOf(id: string): MarcRecord {
  return joinFields('00000dam a2200000   4500', [{ tag: '001', bytes: Buffer.from(id) }]);
}

/** Same as `buildRecord`, for checked fields. */
export function joinFields(leader: string, fields: readonly FieldBytes[]): MarcRecord {
  const parts = sizeOfPart(fields) <= LONGEST_RECORD ? [fields] : partsOf(idFirst(fields));
  return new MarcRecord(Buffer.concat(parts.map((part) => encodePhysical(leader, part))));
}

/** Moves the 001 to the front: parts begin with it, wherever the record has it. */
function idFirst(fields: readonly FieldBytes[]): readonly FieldBytes[] {
  const id = fields.find(({ tag }) => tag === '001');
  return id === undefined ? fields : [id, ...fields.filter((field) => field !== id)];
}

function partsOf(fields: readonly FieldBytes[]): readonly (readonly FieldBytes[])[] {
  const repeated = fields.slice(0, countRepeated(fields));
  const parts: FieldBytes[][] = [[]];
  let size = FRAME;
  for (const field of fields) {
    if (size + sizeOf(field) > LONGEST_RECORD) {
      parts.push([...repeated]);
      size = sizeOfPart(repeated);
    }
    parts.at(-1)!.push(field);
    size += sizeOf(field);
  }
  return parts;
}

const sizeOfPart = (fields: readonly FieldBytes[]): number =>
  fields.reduce((size, field) => size + sizeOf(field), FRAME);

/** Bytes of its directory entry, its content and its terminator. */
const sizeOf = ({ bytes }: FieldBytes): number => ENTRY_LENGTH + bytes.length + 1;

function encodePhysical(leader: string, fields: readonly FieldBytes[]): Buffer {
  let directory = '';
  let start = 0;
  for (const { tag, bytes } of fields) {
    directory += tag + digits(bytes.length + 1, 4) + digits(start, 5);
    start += bytes.length + 1;
  }
  const base = LEADER_LENGTH + directory.length + 1;
  const length = base + start + 1;
  const physical = Buffer.allocUnsafe(length);
  const coded = `${leader.slice(5, CODING_AT)}a22${digits(base, 5)}${leader.slice(17, 20)}4500`;
  physical.write(digits(length, 5) + coded + directory, 'latin1');
  physical[base - 1] = FIELD_TERMINATOR;
  let at = base;
  for (const { bytes } of fields) {
    at += bytes.copy(physical, at);
    physical[at++] = FIELD_TERMINATOR;
  }
  physical[at] = RECORD_TERMINATOR;
  return physical;
}

/** A field among those of its record: its place is counted only when it has a fault. */
interface Among {
  readonly at: number;
  readonly all: readonly MarcField[];
}

function encodeField(field: MarcField, among: Among): FieldBytes {
  const { tag } = field;
  if (!TAG.test(tag)) {
    throw new UnusableRecord(`a field has the tag ${JSON.stringify(tag)}: expected three letters or digits`, {
      kind: 'tag',
      field: tag,
    });
  }
  if (isControlField(field) !== isControlTag(tag)) {
    const what = isControlField(field)
      ? 'is a control field: only 001 to 009 are'
      : 'is a data field: 001 to 009 are not';
    throw unusable('field-type', what, fieldPlace(among));
  }
  const bytes = Buffer.from(isControlField(field) ? checkText(field.value, among) : textOf(field, among));
  if (bytes.length >= LONGEST_FIELD) {
    const what = `has ${bytes.length} bytes of UTF-8: a field of MARC21 has at most 9,998`;
    throw unusable('long-field', what, fieldPlace(among));
  }
  return { tag, bytes };
}

function textOf({ indicators, subfields }: Exclude<MarcField, { value: string }>, among: Among): string {
  if (!INDICATORS.test(indicators)) {
    const what = `has the indicators ${JSON.stringify(indicators)}: expected two characters`;
    throw unusable('indicators', what, { ...fieldPlace(among), fault: indicators });
  }
  let text = indicators;
  for (const { code, value } of subfields) {
    if (!CODE.test(code)) {
      const what = `has the subfield code ${JSON.stringify(code)}: expected one character`;
      throw unusable('subfield-code', what, { ...fieldPlace(among), fault: code, after: value.slice(0, 50) });
    }
    text += `\x1f${code}${checkText(value, among, code)}`;
  }
  return text;
}

function checkText(text: string, among: Among, subfield?: string): string {
  const bad = INVALID_TEXT.exec(text);
  if (bad === null) return text;
  const [character] = bad;
  const [before, after] = [text.slice(0, bad.index), text.slice(bad.index + character.length)];
  const position = [...before].length + 1;
  const place = { ...fieldPlace(among), subfield, position, ...around(before, visible(character), after) };
  throw unusable('xml-character', `has the character ${pointOf(character)}, which XML cannot have`, place);
}

function fieldPlace({ at, all }: Among): FaultPlace {
  const field = all[at]!.tag;
  return { field, occurrence: all.slice(0, at + 1).filter(({ tag }) => tag === field).length };
}

function unusable(kind: FaultKind, what: string, place: FaultPlace): UnusableRecord {
  return new UnusableRecord(`${subjectOf(place)} ${what}`, { kind, ...place });
}

const pointOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
