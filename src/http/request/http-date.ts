import type { Seconds } from '../../core/w3c-datetime.ts';

const TIME = '\\d{2}:\\d{2}:\\d{2}';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
/** The current form, and two obsolete ones that are still valid (RFC 9110, 5.6.7). */
const HTTP_DATE = new RegExp(
  `^(?:${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT|[MTWFS][a-z]{2,5}day, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT|${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4})$`,
);

/** The time of a header; undefined when it is not an HTTP date. */
export function parseHttpDate(text: string | undefined): Seconds | undefined {
  if (text === undefined || !HTTP_DATE.test(text)) return undefined;
  // One of the forms names no time zone: Date.parse would use that of the server.
  const milliseconds = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}
