import { InvalidArgumentError } from 'commander';
import { ACTIVITIES, isActivity, isProvider } from '../artifacts/artifact-key.ts';
import type { RecordsSource } from '../domain/resource-set.ts';
import { parseDatetime } from '../domain/w3c-datetime.ts';

// Parsers of option values: commander names the option and prints what they throw.

/** Of an option that may be given several times. */
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

/** Such as `cdl/harvest`. */
export function recordsSource(value: string): RecordsSource {
  const [provider = '', activity, ...more] = value.split('/');
  if (!isProvider(provider) || activity === undefined || more.length > 0) {
    throw new InvalidArgumentError(
      'Use PROVIDER/ACTIVITY, such as cdl/harvest; a provider has small letters, digits and "-".',
    );
  }
  if (isActivity(activity)) return { provider, activity };
  throw new InvalidArgumentError(`Use an activity that there is: ${ACTIVITIES.join(', ')}.`);
}

/** A moment, as a W3C datetime with its time zone. */
export function startTime(value: string): Date {
  const parsed = parseDatetime(value);
  if (typeof parsed === 'number') return new Date(Math.floor(parsed / 1_000_000) * 1000);
  throw new InvalidArgumentError(`It is ${parsed}: use one such as 2017-02-09T10:44:28Z.`);
}

/** One of a few words. */
export function oneOf<Word extends string>(...words: readonly Word[]): (value: string) => Word {
  return (value) => {
    const word = words.find((known) => known === value);
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`Use ${words.join(' or ')}.`);
  };
}
