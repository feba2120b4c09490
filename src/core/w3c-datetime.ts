/** Whole seconds since 1970, as `lastmod` and the HTTP header Last-Modified have them. */
export type Seconds = number;

const COMPLETE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)$/;
const WITHOUT_TIME = /^\d{4}(-\d\d(-\d\d)?)?$/;
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/;

export type DatetimeProblem =
  | 'not a W3C datetime'
  | 'a date without a time'
  | 'a datetime without a time zone'
  | 'no such day or time';

/** The code that a problem has in answers: a date without a time or zone is distinguished from what is no datetime. */
export function codeOfProblem(problem: DatetimeProblem): 'datetime-without-zone' | 'bad-datetime' {
  const isIncomplete = problem === 'a date without a time' || problem === 'a datetime without a time zone';
  return isIncomplete ? 'datetime-without-zone' : 'bad-datetime';
}

/**
 * Parses a complete W3C datetime into microseconds since 1970; `+0000` is taken as well as `+00:00`, for the
 * Elasticsearch format `yyyy-MM-dd'T'HH:mm:ssZ`. Returns what is wrong with it when it is none. Digits below the
 * microsecond are cut off.
 */
export function parseDatetime(text: string): number | DatetimeProblem {
  if (!COMPLETE.test(text)) {
    if (WITHOUT_TIME.test(text)) return 'a date without a time';
    return WITHOUT_ZONE.test(text) ? 'a datetime without a time zone' : 'not a W3C datetime';
  }
  // The place of every part is known by now: to have the expression cut them out takes four times as long.
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  const [hour, minute, second] = [
    digits(text, 11, 13),
    digits(text, 14, 16),
    text[16] === ':' ? digits(text, 17, 19) : 0,
  ];
  // Date.UTC would roll the 31st of February over into March, and take the years 0 to 99 as 1900 to 1999.
  if (year < 100 || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return 'no such day or time';
  if (hour > 23 || minute > 59 || second > 59) return 'no such day or time';
  const micros = text[19] === '.' ? microsecondsAt(text, 20) : 0;
  return (Date.UTC(year, month - 1, day, hour, minute, second) - zoneOffset(text)) * 1000 + micros;
}

/** The number that the digits from a place up to another make. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) number = number * 10 + text.charCodeAt(at) - 0x30;
  return number;
}

/** Of a fraction of one to nine digits. */
function microsecondsAt(text: string, from: number): number {
  const [fraction] = /^\d{1,6}/.exec(text.slice(from, from + 6))!;
  return digits(fraction, 0, fraction.length) * 10 ** (6 - fraction.length);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : DAYS[month - 1]!;
}

/** Milliseconds that the zone at the end of a datetime is ahead of UTC. */
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
 * Whole seconds as W3C datetime, as `lastmod` is published. Called for every entry: Date.toISOString alone took a fifth
 * of a page's time.
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
