/**
 * The server's time of a change, in microseconds since 1970, strictly ascending over the whole store. Changes have even
 * stamps and boundaries (`at`, `from`, `until`) odd ones, so that inclusive or exclusive never matters.
 */
export type Stamp = number;

const MICROSECONDS_PER_SECOND = 1_000_000;

/** The stamp that the clock gives a change now: even. */
export function clockStamp(now: number = Date.now()): Stamp {
  return now * 1000;
}

/**
 * The stamp of the next change: the clock's, or just above the last one when the clock is behind.
 * @param time the stamp of what happened before now, in place of the clock's
 */
export function nextStamp(last: Stamp, now?: number, time = Number.POSITIVE_INFINITY): Stamp {
  return Math.max(Math.min(clockStamp(now), time), last + 2);
}

/** The nearest boundary above a stamp; a boundary is its own. */
export function boundaryAfter(stamp: Stamp): Stamp {
  return stamp % 2 === 0 ? stamp + 1 : stamp;
}

/** The nearest boundary below a stamp; a boundary is its own. */
export function boundaryBefore(stamp: Stamp): Stamp {
  return stamp % 2 === 0 ? stamp - 1 : stamp;
}

let lastSecond = Number.NaN;
let lastSecondText = '';

/** A stamp as W3C datetime with six digits, as published in `datetime`, `at`, `from` and `until`. */
export function formatStamp(stamp: Stamp): string {
  const second = Math.floor(stamp / MICROSECONDS_PER_SECOND);
  // Entries come in order of time, tens of thousands a second: the part up to the second is nearly always the last one.
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondText = new Date(second * 1000).toISOString().slice(0, 19);
  }
  return `${lastSecondText}.${String(stamp - second * MICROSECONDS_PER_SECOND).padStart(6, '0')}Z`;
}
