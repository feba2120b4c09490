import type { Seconds } from '../../core/w3c-datetime.ts';

const TIME = '\\d{2}:\\d{2}:\\d{2}';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const CURRENT = `${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT`;

/** The form of a date that clients send now (RFC 9110, 5.6.7). The day may be one that its month does not have. */
export const CURRENT_HTTP_DATE = new RegExp(`^${CURRENT}$`);
/** The same, and two obsolete forms that are still valid. */
const HTTP_DATE = new RegExp(
  `^(?:${CURRENT}|[MTWFS][a-z]{2,5}day, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT|${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4})$`,
);

/** The time of a header; undefined when it is not an HTTP date. */
export function parseHttpDate(text: string | undefined): Seconds | undefined {
  if (text === undefined || !HTTP_DATE.test(text)) return undefined;
  // One of the forms names no time zone: Date.parse would use that of the server.
  const milliseconds = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}
