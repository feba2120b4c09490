import { InvalidArgumentError } from 'commander';
import { HASH_ALGORITHMS, type HashAlgorithm, isHashAlgorithm } from '../domain/hash.ts';

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

export function hashAlgorithm(value: string, before: readonly HashAlgorithm[] = []): readonly HashAlgorithm[] {
  if (isHashAlgorithm(value)) return [...before, value];
  throw new InvalidArgumentError(`Use one of ${HASH_ALGORITHMS.join(', ')}.`);
}

/** One of a few words. */
export function oneOf<Word extends string>(...words: readonly Word[]): (value: string) => Word {
  return (value) => {
    const word = words.find((known) => known === value);
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`Use ${words.join(' or ')}.`);
  };
}
