/**
 * The server's time of a change, in microseconds since 1970, strictly ascending in the whole store. Changes have even
 * stamps, boundaries (`at`, `from`, `until`) odd ones, so that it never matters whether a bound is inclusive.
 */
export type Stamp = number;

const MICROSECONDS_PER_SECOND = 1_000_000;

/** The stamp of the clock for a change now: even. */
export function clockStamp(now: number = Date.now()): Stamp {
  return now * 1000;
}

/**
 * The stamp of the next change: that of the clock, or just above the last one if the clock is behind.
 * @param time the stamp of a past change, instead of the clock's
 */
export function nextStamp(last: Stamp, now?: number, time = Number.POSITIVE_INFINITY): Stamp {
  return Math.max(Math.min(clockStamp(now), time), last + 2);
}

/** The nearest boundary above a stamp; for a boundary, itself. */
export function boundaryAfter(stamp: Stamp): Stamp {
  return stamp % 2 === 0 ? stamp + 1 : stamp;
}

/** The nearest boundary below a stamp; for a boundary, itself. */
export function boundaryBefore(stamp: Stamp): Stamp {
  return stamp % 2 === 0 ? stamp - 1 : stamp;
}

let lastSecond = Number.NaN;
let lastSecondText = '';

/** A stamp as a W3C datetime with six digits, as published in `datetime`, `at`, `from` and `until`. */
export function formatStamp(stamp: Stamp): string {
  const second = Math.floor(stamp / MICROSECONDS_PER_SECOND);
  // Tens of thousands of entries a second are in order of time, so the text up to the second is cached.
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondText = new Date(second * 1000).toISOString().slice(0, 19);
  }
  return `${lastSecondText}.${String(stamp - second * MICROSECONDS_PER_SECOND).padStart(6, '0')}Z`;
}
