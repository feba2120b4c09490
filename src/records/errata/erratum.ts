import type { FaultPlace } from './fault.ts';

/**
 * A record that a delivery could not read or transform, or that it took over with a warning. A file of errata has one
 * in each line, as JSON.
 */
export interface Erratum extends ErratumPlace, FaultPlace {
  /** At most `MOST_ID` characters of it. */
  readonly id?: string | undefined;
  /** The title of the record, as far as it could be read. */
  readonly title?: string | undefined;
  /** A word to count by, such as `no-id`: of records in files, one of `FAULT_KINDS`. */
  readonly kind?: string | undefined;
  readonly reason: string;
  /** Present when the record was taken over: the reason says what was repaired or left out. */
  readonly warning?: true | undefined;
}

/** Where a record is in what was delivered. */
interface ErratumPlace {
  /** The position, from 1, of the file that was sent. */
  readonly file?: number | undefined;
  /** The name of the file; in packages, preceded by the names of the packages. */
  readonly path?: readonly string[] | undefined;
  /** The number of the record in its file, or of the line in a list of ids, from 1. */
  readonly ordinal?: number | undefined;
  /** Number of unpacked bytes before it. */
  readonly offset?: number | undefined;
  /** The line in which it is, from 1. */
  readonly line?: number | undefined;
  /** The tag of the field of MARC with the fault, and its number among those with the tag, from 1. */
  readonly field?: string | undefined;
  readonly occurrence?: number | undefined;
}

/** Characters of an id that are kept: field 001 of MARC may have any length. */
const MOST_ID = 1_024;
/** Characters of a reason that are kept. So no line is above 64 kB. */
const MOST_REASON = 2_000;

/**
 * The line of an erratum.
 * @param reasonName the field of the reason: `message` in the files of activities
 */
export function erratumLine(erratum: Erratum, reasonName: 'reason' | 'message' = 'reason'): string {
  if (reasonName === 'reason') return `${JSON.stringify(inColumns(erratum))}\n`;
  const { id, kind, reason, warning, file, path, ordinal, offset, line } = erratum;
  const text = shortened(reason, MOST_REASON);
  const which = { id: id === undefined ? undefined : shortened(id, MOST_ID) };
  // Readers of the files of activities are promised these fields, in this order.
  return `${JSON.stringify({ ...which, file, path, ordinal, offset, line, kind, message: text, warning })}\n`;
}

/** The fields of an erratum of an upload, in the order in which JSON and CSV have them. */
export const ERRATUM_COLUMNS = [
  'file',
  'path',
  'ordinal',
  'offset',
  'id',
  'title',
  'field',
  'occurrence',
  'subfield',
  'position',
  'before',
  'fault',
  'after',
  'kind',
  'reason',
  'warning',
] as const satisfies readonly (keyof Erratum)[];

/** Characters that are kept of each text; of all others, `MOST_TEXT`: a tag of MARCXML may have any length. */
const MOST: Partial<Record<keyof Erratum, number>> = { id: MOST_ID, reason: MOST_REASON };
const MOST_TEXT = 200;

/** The fields that an erratum has, in the order of the columns, each with a limited length. */
export function inColumns(erratum: Erratum): Erratum {
  const entries = ERRATUM_COLUMNS.map((name) => {
    const value = erratum[name];
    return [name, typeof value === 'string' ? shortened(value, MOST[name] ?? MOST_TEXT) : value];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Whether an id of a file of errata is not only the beginning of one. */
export function isWholeId(id: string): boolean {
  return id.length < MOST_ID || !id.endsWith('…');
}

/** Returns none when the text is no erratum: the offset in a link may be written by hand. */
export function parseErratum(line: string): readonly Erratum[] {
  try {
    const { message, ...erratum } = JSON.parse(line);
    return [message === undefined ? erratum : { ...erratum, reason: message }];
  } catch {
    return [];
  }
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
