import type { Failure } from './failures.ts';

/** An occasion on which a test failed in a run and passed by itself. */
export interface Occasion {
  /** A day: YYYY-MM-DD. */
  readonly date: string;
  readonly title: string;
}

/** What becomes of a test that failed in a run. */
export type Verdict =
  | { readonly passes: number }
  /** It counts as failed. With a seed, it is run once more to show the failure. */
  | { readonly failedBecause: string; readonly seed?: string };

/** So many failures at once are no accident. */
const TOO_MANY = 4;
/** A test that has failed so often without a mended cause is not forgiven again. */
const TOO_OFTEN = 3;
/** What these find happens seldom: between two steps of two processes. */
const RACES = /^test\/(contract|fault|jobs|unit\/jobs)\//;
const PASSES = 1;
const PASSES_OF_RACES = 10;

/**
 * Says how often a failed test has to pass by itself to count as unsteady rather than failed. Many tests start, stop
 * and kill servers beside each other, so that one may fail by accident; a real bug must not pass as one.
 */
export function judge(failure: Failure, failures: readonly Failure[], occasions: readonly Occasion[]): Verdict {
  const { file, title, message } = failure;
  if (failures.length >= TOO_MANY) return { failedBecause: `${failures.length} tests failed: that is no accident` };
  if (file === undefined) return { failedBecause: 'it is in no file of tests' };
  const seed = /\bseed: (-?\d+)/.exec(message)?.[1];
  if (seed !== undefined) return { failedBecause: `its property has a counterexample (seed ${seed})`, seed };
  const earlier = occasions.filter((occasion) => occasion.title === title);
  if (earlier.length + 1 >= TOO_OFTEN) {
    const dates = earlier.map(({ date }) => date).join(' and ');
    return { failedBecause: `it was unsteady before (${dates}), and the cause is not mended` };
  }
  return { passes: RACES.test(file) ? PASSES_OF_RACES : PASSES };
}

/** @param list of test/unsteady.tsv: a line for each occasion: date, a tab, title */
export function readOccasions(list: string): readonly Occasion[] {
  const lines = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.split('\t')).map(([date, title]) => ({ date: date!, title: title! }));
}
