import { TidemarkError } from './errors.ts';
import { clockStamp, type Stamp } from './stamp.ts';

/** Milliseconds by which a clock may be wrong without an error. */
export const LARGEST_CLOCK_ERROR_MS = 60_000;
/**
 * Microseconds that the last stamp may be ahead of the clock. Beyond that, the clock is wrong now, or was wrong
 * then.
 */
const MOST_AHEAD_MICROSECONDS = LARGEST_CLOCK_ERROR_MS * 1000;

/** The stamp up to which an operator has accepted that the log is ahead of the clock. */
export interface AcceptedClock {
  readonly through: Stamp;
}

/** Whether a store with this last stamp refuses writes until an operator accepts it. */
export function isAhead(last: Stamp, { through }: AcceptedClock = { through: 0 }, now?: number): boolean {
  return last - Math.max(clockStamp(now), through) > MOST_AHEAD_MICROSECONDS;
}

export function clockIsBehind(last: Stamp, now?: number): TidemarkError {
  const seconds = Math.round((last - clockStamp(now)) / 1e6);
  return new TidemarkError(
    'unavailable',
    `the last change in the store is ${seconds} seconds ahead of this machine's clock: set the clock right, or, when it is right now and was wrong then, run "tidemark clock --confirm"`,
  );
}
