import { isUtf8 } from 'node:buffer';
import type { FaultyRecord, ReadableField, TextPart } from '../../../readable/readable-record.ts';
import { partsOfUtf8 } from '../../../readable/text-parts.ts';
import { RecordCutter } from '../cut-records.ts';
import {
  BASE_ADDRESS_AT,
  CODING_AT,
  ENTRY_LENGTH,
  FIELD_TERMINATOR,
  isControlTag,
  LEADER_LENGTH,
  numberAt,
  RECORD_TERMINATOR,
  SUBFIELD_DELIMITER,
} from '../iso2709.ts';
import { FIELD_NAMES } from './field-names.ts';
import { partsOfMarc8 } from './marc8-parts.ts';
import { BY_PLACE } from './readable-marc.ts';

const ESCAPE = 0x1b;

/** Bytes from a place on within a record. */
interface Stretch {
  readonly start: number;
  /** Without its field terminator. */
  readonly end: number;
}

interface Entry {
  readonly text: string;
  readonly tag: string;
  /** Undefined where the entry leads nowhere. */
  readonly field: Stretch | undefined;
}

/**
 * The first physical record of the bytes, as far as it can be read: every entry of its directory, and what no entry
 * leads to. It accepts any bytes.
 */
export function readFaultyMarc(file: Buffer): FaultyRecord {
  const bytes = firstRecord(file);
  const partsOf = decoderOf(bytes);
  const directoryEnd = endOfDirectory(bytes);
  const stretches = stretchesFrom(bytes, directoryEnd + 1);
  const entries = entriesOf(bytes, directoryEnd, stretches);
  const leader = bytes.subarray(0, LEADER_LENGTH);
  const fields: ReadableField[] = [
    { tag: 'LDR', name: FIELD_NAMES.LDR, subfields: [{ parts: withBlanks(partsOfUtf8(leader)) }] },
    ...entries.map((entry) => fieldOf(bytes, entry, partsOf)),
  ];
  const known = new Set(entries.flatMap(({ field }) => (field === undefined ? [] : [field.start])));
  for (const stretch of stretches) {
    if (known.has(stretch.start) || stretch.start === stretch.end) continue;
    const subfields = [{ parts: partsOf(bytes.subarray(stretch.start, stretch.end)) }];
    fields.push({ tag: '???', subfields, problem: 'no entry of the directory leads to this field' });
  }
  return { length: bytes.length, fields };
}

function firstRecord(file: Buffer): Buffer {
  const cutter = new RecordCutter();
  const [piece] = [...cutter.push(file), ...cutter.end()];
  return piece?.bytes ?? file;
}

/** As a record is decoded: UTF-8 when it says so, or is it; else MARC-8. */
function decoderOf(bytes: Buffer): (text: Buffer) => readonly TextPart[] {
  const isUnicode = bytes[CODING_AT] === 0x61 || (isUtf8(bytes) && !bytes.includes(ESCAPE));
  return isUnicode ? partsOfUtf8 : partsOfMarc8;
}

function withBlanks(parts: readonly TextPart[]): readonly TextPart[] {
  return parts.map((part) => ({ ...part, text: part.text.replaceAll(' ', '#') }));
}

/** Where the terminator of the directory is: at the base address, or else the first one. */
function endOfDirectory(bytes: Buffer): number {
  const base = numberAt(bytes, BASE_ADDRESS_AT, 5);
  if (base > LEADER_LENGTH && bytes[base - 1] === FIELD_TERMINATOR) return base - 1;
  const first = bytes.indexOf(FIELD_TERMINATOR, LEADER_LENGTH);
  return first === -1 ? bytes.length : first;
}

/** What is between the terminators of fields. */
function stretchesFrom(bytes: Buffer, from: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  const last = bytes[bytes.length - 1] === RECORD_TERMINATOR ? bytes.length - 1 : bytes.length;
  for (let start = from; start < last; ) {
    const terminator = bytes.indexOf(FIELD_TERMINATOR, start);
    const end = terminator === -1 ? last : Math.min(terminator, last);
    stretches.push({ start, end });
    start = end + 1;
  }
  return stretches;
}

/** An entry leads to a whole field; or, when there are as many fields as entries, to the one of its number. */
function entriesOf(bytes: Buffer, directoryEnd: number, stretches: readonly Stretch[]): readonly Entry[] {
  const starts = new Map(stretches.map((stretch) => [stretch.start, stretch]));
  const count = Math.ceil((directoryEnd - LEADER_LENGTH) / ENTRY_LENGTH);
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const from = LEADER_LENGTH + at * ENTRY_LENGTH;
    const text = bytes.toString('latin1', from, Math.min(from + ENTRY_LENGTH, directoryEnd));
    const found = starts.get(directoryEnd + 1 + numberAt(bytes, from + 7, 5));
    const isWhole = found !== undefined && found.end - found.start + 1 === numberAt(bytes, from + 3, 4);
    const byOrder = stretches.length === count ? stretches[at] : undefined;
    return { text, tag: text.slice(0, 3), field: isWhole ? found : byOrder };
  });
}

function fieldOf(bytes: Buffer, { text, tag, field }: Entry, partsOf: ReturnType<typeof decoderOf>): ReadableField {
  const shown = { tag: printable(tag), name: FIELD_NAMES[tag] };
  if (field === undefined) {
    return { ...shown, subfields: [], problem: `the entry "${printable(text)}" of the directory leads nowhere` };
  }
  const value = bytes.subarray(field.start, field.end);
  if (isControlTag(tag)) {
    const parts = partsOf(value);
    return { ...shown, subfields: [{ parts: BY_PLACE.test(tag) ? withBlanks(parts) : parts }] };
  }
  const first = value.indexOf(SUBFIELD_DELIMITER);
  const head = first === -1 ? value : value.subarray(0, first);
  const subfields = first === -1 ? [] : subfieldsOf(value.subarray(first), partsOf);
  if (head.length === 2)
    return { ...shown, indicators: printable(head.toString('latin1')).replaceAll(' ', '#'), subfields };
  const problem = 'it does not begin with two indicators and a subfield';
  return { ...shown, subfields: [{ parts: partsOf(head) }, ...subfields], problem };
}

function subfieldsOf(value: Buffer, partsOf: ReturnType<typeof decoderOf>): ReadableField['subfields'] {
  const subfields: ReadableField['subfields'][number][] = [];
  for (let at = 0; at < value.length; ) {
    const next = value.indexOf(SUBFIELD_DELIMITER, at + 1);
    const end = next === -1 ? value.length : next;
    const code = value.toString('latin1', at + 1, Math.min(at + 2, end));
    const isCode = /^[\x21-\x7e]$/.test(code);
    const parts = partsOf(value.subarray(at + (isCode ? 2 : 1), end));
    subfields.push(isCode ? { code, parts } : { code: '', codeMark: 'fault', parts });
    at = end;
  }
  return subfields;
}

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?');
