import { boundaryBefore, type Stamp } from '../core/stamp.ts';
import { formatSeconds, parseDatetime } from '../core/w3c-datetime.ts';

const MICROSECONDS = 1_000_000;
const SECONDS_PER_DAY = 86_400;
const DAY = /^\d{4}-\d\d-\d\d$/;
const SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** A value of `from` or `until` (OAI-PMH 2.0, 3.3). */
export interface Datestamp {
  /** Its first second since 1970. */
  readonly first: number;
  /** Its last second. */
  readonly last: number;
  readonly granularity: 'day' | 'second';
}

/** Undefined when it has neither of the two granularities, or does not exist. */
export function parseDatestamp(text: string): Datestamp | undefined {
  const granularity = DAY.test(text) ? 'day' : SECOND.test(text) ? 'second' : undefined;
  if (granularity === undefined) return undefined;
  const parsed = parseDatetime(granularity === 'day' ? `${text}T00:00:00Z` : text);
  if (typeof parsed === 'string') return undefined;
  const first = parsed / MICROSECONDS;
  return { first, last: granularity === 'day' ? first + SECONDS_PER_DAY - 1 : first, granularity };
}

/** The datestamp of a record: the second of the stamp of its last change. */
export function datestampOf(stamp: Stamp): string {
  return formatSeconds(secondOf(stamp));
}

/** Since 1970. */
export function secondOf(stamp: Stamp): number {
  return Math.floor(stamp / MICROSECONDS);
}

/** The boundary below the changes of a second, and of all later ones. */
export function boundaryBelow(second: number): Stamp {
  return Math.max(0, boundaryBefore(second * MICROSECONDS));
}
