import { around, type FaultPlace, subjectOf } from '../../../errata/fault.ts';
import type { FaultKind } from '../../../errata/fault-kinds.ts';
import { ENTRY_LENGTH, isControlTag, LEADER_LENGTH, SUBFIELD_DELIMITER } from '../iso2709.ts';
import { type FieldSpan, fieldPlaces } from './field-places.ts';
import { kindOfInvalidMarc8 } from './likely-cause.ts';
import { readableText } from './readable-text.ts';
import { UnusableBytes, UnusableRecord } from './unusable-record.ts';

/** A fault of a physical record, before anything is known of the field around it. */
export interface ByteFault {
  readonly kind: FaultKind;
  /** Behind the name of the place: `has the byte B9, …`. */
  readonly what: string;
  /** The first byte that is wrong. */
  readonly at: number;
  /** Bytes, 1 by default. */
  readonly length?: number;
  /** The position of the entry in the directory that leads there. */
  readonly entry?: number;
}

/** The fault of a record with the field that it is in, and the text around it. */
export function describeFault(bytes: Buffer, fault: ByteFault): UnusableRecord {
  const { kind, what, at } = fault;
  if (at < LEADER_LENGTH) {
    const place = { field: 'LDR', position: at, ...textAround(bytes, { start: 0, end: LEADER_LENGTH }, fault) };
    return new UnusableRecord(`the leader ${what}`, { kind, ...place });
  }
  const place = placeOf(bytes, fault);
  return new UnusableRecord(`${subjectOf(place)} ${what}`, {
    kind,
    ...place,
  });
}

/** The same for bytes that are not MARC-8; any other error as it is. */
export function withPlace(bytes: Buffer, error: unknown): unknown {
  if (!(error instanceof UnusableBytes)) return error;
  const at = error.bytes.byteOffset - bytes.byteOffset;
  const kind = kindOfInvalidMarc8(bytes);
  return describeFault(bytes, { kind, what: error.message, at, length: error.bytes.length });
}

function placeOf(bytes: Buffer, fault: ByteFault): FaultPlace {
  const { at, entry } = fault;
  const fields = fieldPlaces(bytes);
  const found =
    entry === undefined
      ? fields.find(({ start, end }) => start <= at && at <= end)
      : fields.find((field) => field.entry === entry);
  if (found === undefined) return placeInDirectory(bytes, fault);
  const { tag, occurrence } = found;
  const isInDirectory = entry !== undefined && at < entry + ENTRY_LENGTH;
  const text = isInDirectory
    ? placeInDirectory(bytes, fault)
    : textAround(bytes, withoutIndicators(found, fault), fault);
  const isOfText = entry === undefined && !isControlTag(tag);
  return {
    field: tag,
    occurrence,
    ...(isOfText ? placeInField(bytes, found, at) : positionIn(bytes, found, fault)),
    ...text,
  };
}

/** Indicators are no text, unless they are what is wrong. */
function withoutIndicators(field: FieldSpan, { at, entry }: ByteFault): FieldSpan {
  const start = field.start + 2;
  return entry !== undefined || isControlTag(field.tag) || at < start ? field : { ...field, start };
}

function positionIn(bytes: Buffer, { start }: FieldSpan, { at, entry }: ByteFault): FaultPlace {
  return entry === undefined ? { position: charactersIn(bytes.subarray(start, at)) + 1 } : {};
}

/** The subfield, and the number of the character in it. */
function placeInField(bytes: Buffer, { start }: FieldSpan, at: number): FaultPlace {
  const delimiter = bytes.lastIndexOf(SUBFIELD_DELIMITER, at);
  if (delimiter < start || at < delimiter + 1) return {};
  const code = readableText(bytes.subarray(delimiter + 1, delimiter + 2));
  // The code itself is wrong.
  if (at < delimiter + 2) return {};
  return { subfield: code, position: charactersIn(bytes.subarray(delimiter + 2, at)) + 1 };
}

function placeInDirectory(bytes: Buffer, fault: ByteFault): FaultPlace {
  if (fault.entry === undefined) return textAround(bytes, { start: LEADER_LENGTH, end: bytes.length }, fault);
  return textAround(bytes, { start: fault.entry, end: fault.entry + ENTRY_LENGTH }, fault);
}

/** A byte that is no text counts as a character. */
const charactersIn = (bytes: Buffer): number => [...bytes.toString('utf8')].length;

function textAround(
  bytes: Buffer,
  { start, end }: Pick<FieldSpan, 'start' | 'end'>,
  { at, length = 1, entry }: ByteFault,
): FaultPlace {
  // What a wrong length leads to may be outside of the field.
  const [first, last] = entry === undefined ? [start, end] : [Math.min(start, at), Math.max(end, at + length)];
  const [from, to] = [Math.max(first, at - CONTEXT_BYTES), Math.min(last, at + length + CONTEXT_BYTES)];
  return around(
    readableText(bytes.subarray(from, at)),
    readableText(bytes.subarray(at, at + length)),
    readableText(bytes.subarray(at + length, to)),
  );
}

/** A character may have four bytes. */
const CONTEXT_BYTES = 240;
