import { isTidemarkError } from '../../core/errors.ts';
import type { FetchAgain } from '../arrivals/upload-state.ts';

/** Shortest and longest milliseconds between two attempts to fetch the file of an upload. */
const PAUSE_MS = { least: 10_000, most: 20 * 60_000 };
/** A job checks at least that often whether the time of its next attempt has come: see `LONGEST_PAUSE_MS` in job.ts. */
const LONGEST_WAIT_MS = 600_000;

/** Why a job waits: a sentence without a full stop. */
export const FETCHED_AGAIN = 'the server of its URL has to send the file';

interface FetchFailed {
  readonly error: unknown;
  /** What an earlier failure has recorded, unless a user has requested this attempt. */
  readonly before: FetchAgain | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds after the first failure within which it is tried again. */
  readonly retryMs: number;
}

/**
 * When a file that was not fetched is fetched again: after 10 seconds, then after pauses that are as long as the time
 * since the first failure, so that each is about twice as long as the one before; never before the server's
 * Retry-After. The last attempt is at the end of the time. Undefined when there is none.
 */
export function fetchAgain({ error, before, now, retryMs }: FetchFailed): FetchAgain | undefined {
  if (!isTidemarkError(error, 'unavailable')) return undefined;
  const since = before?.since ?? now;
  const end = since + retryMs;
  if (now >= end) return undefined;
  const { retryAfterMs = 0 } = error.details as { readonly retryAfterMs?: number };
  const pauseMs = Math.min(Math.max(now - since, PAUSE_MS.least), PAUSE_MS.most);
  return { since, nextAt: Math.min(now + Math.max(pauseMs, retryAfterMs), end) };
}

/** Milliseconds for which its job waits. */
export function waitMs({ nextAt }: FetchAgain, now: number): number {
  return Math.min(Math.max(nextAt - now, 0), LONGEST_WAIT_MS);
}
