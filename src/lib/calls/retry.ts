import { setTimeout as wait } from 'node:timers/promises';

/** Exponential backoff: each pause is twice as long as the one before, up to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

interface RetryOptions extends Backoff {
  /**
   * Whether a later attempt may succeed. Called after each failure.
   * @param failures number of failures so far
   */
  isTemporary(error: unknown, failures: number): boolean;
  /** Ends a pause between two attempts. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats work until it succeeds.
 * @throws the first error for which `isTemporary` is false; the signal's reason
 */
export async function retry<Result>(work: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!options.isTemporary(error, failures)) throw error;
    }
    await pauseAfter(failures, options, options.signal);
  }
}

/** Waits before the next attempt. @throws the signal's reason when it is aborted */
export async function pauseAfter(failures: number, backoff: Backoff, signal?: AbortSignal): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  await wait(backoffMs(failures, backoff), undefined, options).catch(() => signal?.throwIfAborted());
}

/**
 * Milliseconds to wait after this number of failures. A random value between half and the whole, so that processes that
 * failed together do not retry together.
 */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff): number {
  const most = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return most * (0.5 + Math.random() / 2);
}
