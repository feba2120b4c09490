import { BASE_ADDRESS_AT, ENTRY_LENGTH, FIELD_TERMINATOR, LEADER_LENGTH, numberAt } from '../iso2709.ts';
import { baseAddressOf } from '../plain-leader.ts';
import { readableText } from './readable-text.ts';

/** A field of a physical record that may be damaged. */
export interface FieldSpan {
  readonly tag: string;
  /** Which of the fields with its tag, from 1. */
  readonly occurrence: number;
  /** The position of its entry in the directory. */
  readonly entry: number;
  /** Its bytes, without the terminator. */
  readonly start: number;
  readonly end: number;
}

const MOST_FIELDS = 10_000;
const MOST_TITLE = 120;

/**
 * The fields of a physical record, as far as they can be found: where the directory leads to no terminator, the fields
 * are taken from one terminator to the next, in the order of the directory.
 */
export function fieldPlaces(bytes: Buffer): readonly FieldSpan[] {
  const base = baseOf(bytes);
  const counts = new Map<string, number>();
  const fields: FieldSpan[] = [];
  let next = base;
  for (let entry = LEADER_LENGTH; entry + ENTRY_LENGTH < base && fields.length < MOST_FIELDS; entry += ENTRY_LENGTH) {
    const tag = bytes.toString('latin1', entry, entry + 3).replace(/[^\x21-\x7e]/g, '?');
    const occurrence = (counts.get(tag) ?? 0) + 1;
    counts.set(tag, occurrence);
    const { start, end } = spanOf(bytes, { entry, base, next });
    fields.push({ tag, occurrence, entry, start, end });
    next = end + 1;
  }
  return fields;
}

/** Where the fields begin: as the leader says, if a directory ends there. */
function baseOf(bytes: Buffer): number {
  const said = numberAt(bytes, BASE_ADDRESS_AT, 5);
  return said > LEADER_LENGTH && bytes[said - 1] === FIELD_TERMINATOR ? said : baseAddressOf(bytes);
}

function spanOf(
  bytes: Buffer,
  { entry, base, next }: { readonly entry: number; readonly base: number; readonly next: number },
): { readonly start: number; readonly end: number } {
  const length = numberAt(bytes, entry + 3, 4);
  const start = numberAt(bytes, entry + 7, 5) + base;
  const end = start + length - 1;
  const isSound = length > 0 && start >= base && bytes[start - 1] === FIELD_TERMINATOR;
  if (isSound && bytes[end] === FIELD_TERMINATOR) return { start, end };
  const terminator = bytes.indexOf(FIELD_TERMINATOR, next);
  return { start: Math.min(next, bytes.length), end: terminator < 0 ? bytes.length : terminator };
}

/** The title of a record (245 $a $b), as far as it can be read; undefined without one. */
export function titleIn(bytes: Buffer): string | undefined {
  const field = fieldPlaces(bytes).find(({ tag }) => tag === '245');
  return field && titleOf(bytes.subarray(field.start, field.end));
}

/** @param field a field 245 without its terminator */
export function titleOf(field: Buffer): string | undefined {
  const parts = field
    .toString('latin1')
    .split('\x1f')
    .slice(1)
    .filter((subfield) => /^[ab]/.test(subfield))
    .map((subfield) => readableText(Buffer.from(subfield.slice(1), 'latin1')).trim());
  return shortTitle(parts.join(' '));
}

export function shortTitle(text: string): string | undefined {
  const title = text.replace(/\s+/g, ' ').replace(/\s*[/:;,]?\s*$/, '');
  if (title === '') return undefined;
  return title.length > MOST_TITLE ? `${title.slice(0, MOST_TITLE).toWellFormed()}…` : title;
}
