import { setTimeout as wait } from 'node:timers/promises';
import { type Backoff, backoffMs } from '../../../lib/calls/retry.ts';
import type { IngestFailure } from '../../ingest-failure.ts';

const LONGEST_WAIT_MS = 10 * 60_000;

/** How often, and for how long, a service is asked again. */
export interface Timing extends Backoff {
  readonly attempts: number;
  /** Milliseconds for which a result is awaited in all. */
  readonly timeoutMs: number;
}

/** A failure that another attempt may avoid. */
export class MayPass extends Error {
  readonly failure: IngestFailure;
  /** Milliseconds that the service asks to wait. */
  readonly waitMs: number;

  constructor(failure: IngestFailure, waitMs = 0) {
    super(failure.message);
    this.failure = failure;
    this.waitMs = waitMs;
  }
}

/** Repeats work while it throws MayPass. @throws the last IngestFailure; other errors of `work`; the signal's reason */
export async function withAttempts<Result>(
  work: () => Promise<Result>,
  { attempts, signal, ...backoff }: Timing & { readonly signal: AbortSignal },
): Promise<Result> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof MayPass)) throw error;
      if (failures >= attempts || error.waitMs > LONGEST_WAIT_MS) throw error.failure;
      await pause(Math.max(error.waitMs, backoffMs(failures, backoff)), signal);
    }
  }
}

/** Asks until there is an answer; undefined when there was none for `timeoutMs` milliseconds. */
export async function poll<Answer>(
  ask: () => Promise<Answer | undefined>,
  { timeoutMs, signal, ...backoff }: Timing & { readonly signal: AbortSignal },
): Promise<Answer | undefined> {
  const end = performance.now() + timeoutMs;
  for (let times = 1; ; times++) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const ms = backoffMs(times, backoff);
    if (performance.now() + ms > end) return undefined;
    await pause(ms, signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Milliseconds of the header Retry-After in seconds (RFC 9110, 10.2.3); 0 without one. */
export function retryAfterMs(headers: Readonly<Record<string, unknown>>): number {
  const after = headers['retry-after'];
  return typeof after === 'string' && /^\d{1,7}$/.test(after) ? Number(after) * 1000 : 0;
}
