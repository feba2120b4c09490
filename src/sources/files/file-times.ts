import type { Seconds } from '../../core/w3c-datetime.ts';

const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const DAY_MILLISECONDS = 86_400_000;
/** The year 100: no W3C datetime that this program reads is earlier. Some file systems store any 64-bit number. */
const EARLIEST_SECONDS = Date.UTC(100, 0) / 1000;

/** Whole seconds of a file's mtime; undefined when it is so far in the future or the past that it must be wrong. */
export function lastmodOf(mtime: bigint, now: number): Seconds | undefined {
  const seconds = Number(mtime / NANOSECONDS_PER_SECOND);
  return seconds * 1000 > now + DAY_MILLISECONDS || seconds < EARLIEST_SECONDS ? undefined : seconds;
}

/** The same for the header Last-Modified, which must not be in the future (RFC 9110, 8.8.2.1). */
export function lastModifiedOf(mtime: bigint, now: number): Seconds | undefined {
  const seconds = lastmodOf(mtime, now);
  return seconds === undefined || seconds * 1000 > now ? undefined : seconds;
}
