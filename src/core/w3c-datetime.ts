/** Whole seconds since 1970, as in `lastmod` and the HTTP header Last-Modified. */
export type Seconds = number;

const COMPLETE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)$/;
const WITHOUT_TIME = /^\d{4}(-\d\d(-\d\d)?)?$/;
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/;

type DatetimeProblem =
  | 'not a W3C datetime'
  | 'a date without a time'
  | 'a datetime without a time zone'
  | 'not a day or time that exists';

/** The code of a problem in responses: it distinguishes a date without a time or zone from other invalid texts. */
export function codeOfProblem(problem: DatetimeProblem): 'datetime-without-zone' | 'bad-datetime' {
  const isIncomplete = problem === 'a date without a time' || problem === 'a datetime without a time zone';
  return isIncomplete ? 'datetime-without-zone' : 'bad-datetime';
}

/**
 * Parses a complete W3C datetime into microseconds since 1970. Accepts `+0000` as `+00:00`, for the Elasticsearch
 * format `yyyy-MM-dd'T'HH:mm:ssZ`. Returns the problem if it is invalid. Digits below the microsecond are dropped.
 */
export function parseDatetime(text: string): number | DatetimeProblem {
  if (!COMPLETE.test(text)) {
    if (WITHOUT_TIME.test(text)) return 'a date without a time';
    return WITHOUT_ZONE.test(text) ? 'a datetime without a time zone' : 'not a W3C datetime';
  }
  // The position of every part is known here: capturing groups would take four times as long.
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  const [hour, minute, second] = [
    digits(text, 11, 13),
    digits(text, 14, 16),
    text[16] === ':' ? digits(text, 17, 19) : 0,
  ];
  // Date.UTC would turn the 31st of February into a day in March, and the years 0 to 99 into 1900 to 1999.
  if (year < 100 || month < 1 || month > 12 || day < 1 || day > daysOf(year, month))
    return 'not a day or time that exists';
  if (hour > 23 || minute > 59 || second > 59) return 'not a day or time that exists';
  const micros = text[19] === '.' ? microsecondsAt(text, 20) : 0;
  return (Date.UTC(year, month - 1, day, hour, minute, second) - zoneOffset(text)) * 1000 + micros;
}

/** The number of the digits between two positions. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) number = number * 10 + text.charCodeAt(at) - 0x30;
  return number;
}

/** The microseconds of a fraction with one to nine digits. */
function microsecondsAt(text: string, from: number): number {
  const [fraction] = /^\d{1,6}/.exec(text.slice(from, from + 6))!;
  return digits(fraction, 0, fraction.length) * 10 ** (6 - fraction.length);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : DAYS[month - 1]!;
}

/** The milliseconds by which the zone at the end of a datetime is ahead of UTC. */
function zoneOffset(text: string): number {
  const end = text.length;
  if (text.endsWith('Z')) return 0;
  const hours = text.at(-3) === ':' ? end - 5 : end - 4;
  const sign = text[hours - 1] === '-' ? -1 : 1;
  return sign * (digits(text, hours, hours + 2) * 60 + digits(text, end - 2, end)) * 60_000;
}

const SECONDS_PER_DAY = 86_400;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const dates = new Map<number, string>();

/**
 * Whole seconds as a W3C datetime, as published in `lastmod`. Called for every entry: Date.toISOString alone took a
 * fifth of the time of a page.
 */
export function formatSeconds(seconds: Seconds): string {
  const day = Math.floor(seconds / SECONDS_PER_DAY);
  const rest = seconds - day * SECONDS_PER_DAY;
  const time = `${TWO_DIGITS[Math.floor(rest / 3600)]}:${TWO_DIGITS[Math.floor(rest / 60) % 60]}:${TWO_DIGITS[rest % 60]}`;
  return `${dateOf(day)}T${time}Z`;
}

function dateOf(day: number): string {
  let date = dates.get(day);
  if (date === undefined) {
    if (dates.size > 100_000) dates.clear();
    date = new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, -14);
    dates.set(day, date);
  }
  return date;
}
