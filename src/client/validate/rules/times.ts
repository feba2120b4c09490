import { parseDatetime } from '../../../core/w3c-datetime.ts';
import { timeOf } from '../../mirror/lists/wanted-resource.ts';

/** W3C Datetime: a year, a month, a day, or a time with a zone. */
const W3C = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?)?$/;
const COMPLETE_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** The kind of a text: complete and in UTC, another W3C Datetime, or none. */
export function datetimeKind(text: string): 'complete' | 'incomplete' | 'none' {
  // Nearly all are complete. The code below would take a tenth of the time of a validation.
  if (COMPLETE_UTC.test(text) && typeof parseDatetime(text) === 'number') return 'complete';
  const [, year, month = '01', day = '01'] = W3C.exec(text) ?? [];
  if (year === undefined) return 'none';
  const date = `${year}-${month}-${day}`;
  const time = Date.parse(date);
  // `Date` moves a day that does not exist to the beginning of the next month.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date) return 'none';
  if (text.length > 10 && typeof parseDatetime(text) !== 'number') return 'none';
  return 'incomplete';
}

/** Microseconds since 1970; NaN when it is missing or no datetime. A time without a zone is read as UTC. */
export function instantOf(text: string | undefined): number {
  return timeOf(text) ?? Number.NaN;
}

/** Whether the times are in ascending order; unknown ones are skipped. */
export function areAscending(times: readonly (string | undefined)[]): boolean {
  const known = times.map(instantOf).filter((time) => !Number.isNaN(time));
  return known.every((time, position) => position === 0 || known[position - 1]! <= time);
}
