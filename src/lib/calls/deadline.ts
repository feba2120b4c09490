import { AsyncLocalStorage } from 'node:async_hooks';

const deadlines = new AsyncLocalStorage<number>();

/**
 * Runs work that a person waits for. All waits in it that regard `remainingMs` end within this time, however many
 * there are, and those of what it starts.
 * @param timeoutMs milliseconds
 */
export function withDeadline<Result>(timeoutMs: number, work: () => Result): Result {
  return deadlines.run(performance.now() + timeoutMs, work);
}

/** Milliseconds until the deadline of the work that calls this, at most `mostMs`, which it is without a deadline. */
export function remainingMs(mostMs: number): number {
  const deadline = deadlines.getStore();
  if (deadline === undefined) return mostMs;
  return Math.min(mostMs, Math.max(deadline - performance.now(), 0));
}
