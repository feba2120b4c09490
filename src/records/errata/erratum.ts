/**
 * A record that a delivery could not read or transform, or that it took over with a warning. A file of errata has one
 * in each line, as JSON.
 */
export interface Erratum extends ErratumPlace {
  /** At most `MOST_ID` characters of it. */
  readonly id?: string | undefined;
  /** A word to count by, such as `no-id`. */
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
export function erratumLine(
  { id, kind, reason, warning, ...place }: Erratum,
  reasonName: 'reason' | 'message' = 'reason',
): string {
  const text = shortened(reason, MOST_REASON);
  const which = { id: id === undefined ? undefined : shortened(id, MOST_ID) };
  // Readers of the files of activities are promised this order.
  const erratum = reasonName === 'message' ? { ...which, ...place, kind } : { ...place, ...which, kind };
  return `${JSON.stringify({ ...erratum, [reasonName]: text, warning })}\n`;
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
