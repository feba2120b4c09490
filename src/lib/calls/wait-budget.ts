import { AsyncLocalStorage } from 'node:async_hooks';
import { withTimeout } from './with-timeout.ts';

/** What is left of the time that one piece of work may wait. Waits at the same time count once. */
class WaitBudget {
  #leftMs: number;
  #waits = 0;
  #since = 0;

  constructor(ms: number) {
    this.#leftMs = ms;
  }

  get leftMs(): number {
    const waitedMs = this.#waits > 0 ? performance.now() - this.#since : 0;
    return Math.max(this.#leftMs - waitedMs, 0);
  }

  async spend<Result>(wait: () => Promise<Result>): Promise<Result> {
    if (this.#waits === 0) this.#since = performance.now();
    this.#waits += 1;
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) this.#leftMs -= performance.now() - this.#since;
    }
  }
}

const budgets = new AsyncLocalStorage<WaitBudget>();

/**
 * Runs work that a person waits for: all `waitWithinBudget` in it, and in what it starts, take so many milliseconds
 * together. What it does between them is not counted.
 */
export function withWaitBudget<Result>(ms: number, work: () => Result): Result {
  return budgets.run(new WaitBudget(ms), work);
}

/**
 * As `withTimeout`, within what is left of the caller's budget.
 * @param mostMs milliseconds, where the caller has no budget or more of it
 */
export function waitWithinBudget<Result, Late>(
  work: Promise<Result>,
  mostMs: number,
  onTimeout: () => Late,
): Promise<Result | Late> {
  const budget = budgets.getStore();
  if (budget === undefined) return withTimeout(work, mostMs, onTimeout);
  return budget.spend(() => withTimeout(work, Math.min(mostMs, budget.leftMs), onTimeout));
}
