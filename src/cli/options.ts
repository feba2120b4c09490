import { InvalidArgumentError } from 'commander';
import { parseTimestamp } from '../artifacts/timestamp.ts';
import { parseDatetime } from '../core/w3c-datetime.ts';

// Parsers of option values. Commander prints their errors, with the name of the option.

/** For an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };
}

/** Parses the start of a run, in whole seconds: written as in keys, or as a W3C datetime with its time zone. */
export function startTime(value: string): Date {
  const parsed = parseTimestamp(value)?.getTime() ?? parseDatetime(value);
  if (typeof parsed === 'string') {
    throw new InvalidArgumentError(`It is ${parsed}: use one such as 2017-02-09T10:44:28Z or 20170209_104428.`);
  }
  const start = new Date(value.includes('_') ? parsed : Math.floor(parsed / 1_000_000) * 1000);
  // A start in the future would count as newer than every run that begins before then.
  if (start.getTime() > Date.now()) throw new InvalidArgumentError('It is in the future.');
  return start;
}

/**
 * Parses a W3C datetime with its time zone, or a day or a time as in keys (UTC), into its first or last microsecond
 * since 1970.
 */
export function timestamp(end: 'first' | 'last'): (value: string) => number {
  const [second, day] = end === 'first' ? ['Z', 'T00:00:00Z'] : ['.999999Z', 'T23:59:59.999999Z'];
  return (value) => {
    const text = value
      .replace(/^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)$/, `$1-$2-$3T$4:$5:$6${second}`)
      .replace(/^(\d{4})-?(\d\d)-?(\d\d)$/, `$1-$2-$3${day}`);
    const parsed = parseDatetime(text);
    if (typeof parsed === 'number') return parsed;
    throw new InvalidArgumentError(
      `It is ${parsed}: use one such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31.`,
    );
  };
}

/** Accepts one of a few words. */
export function oneOf<Word extends string>(...words: readonly Word[]): (value: string) => Word {
  return (value) => {
    const word = words.find((known) => known === value);
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`Use ${words.join(' or ')}.`);
  };
}

const AGE_UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** Parses an age such as `90d`, in milliseconds. */
export function age(value: string): number {
  const [, number = '', unit = 'd'] = /^(\d{1,6})(d|h|m|s)$/.exec(value) ?? [];
  if (number !== '') return Number(number) * AGE_UNITS[unit as keyof typeof AGE_UNITS];
  throw new InvalidArgumentError('Use a number with d, h, m or s, such as 90d.');
}

/** The longest delay of a timer is 2^31 - 1 ms, a little less than 25 days; a timer with a longer one ends at once. */
const LONGEST_INTERVAL_MS = 24 * AGE_UNITS.d;

/** Parses a time to wait again and again, in milliseconds. */
export function interval(value: string): number {
  const milliseconds = age(value);
  if (milliseconds > 0 && milliseconds <= LONGEST_INTERVAL_MS) return milliseconds;
  throw new InvalidArgumentError('Use 1s or more, and 24d at most.');
}
