import { retry } from '../calls/retry.ts';
import { isOverloaded } from './faults.ts';

const BACKOFF = { firstMs: 100, longestMs: 2_000 };
/** Milliseconds after which a command prints what it waits for. */
const SLOW_AFTER_MS = 10_000;

/** Waits while Elasticsearch refuses requests because it is too busy: however long, until the store is closed. */
export class Overload {
  readonly #onSlow: ((message: string) => void) | undefined;
  #isClosed = false;

  constructor(onSlow: ((message: string) => void) | undefined) {
    this.#onSlow = onSlow;
  }

  /** @param work repeated as a whole, so it must be safe to repeat when it fails with an error of `isOverloaded` */
  waitFor<Result>(work: () => Promise<Result>): Promise<Result> {
    const began = Date.now();
    let isSlow = false;
    const isTemporary = (error: unknown) => {
      if (!isOverloaded(error) || this.#isClosed) return false;
      if (!isSlow && Date.now() - began > SLOW_AFTER_MS) {
        isSlow = true;
        this.#onSlow?.(`Waits until it is less busy: ${error.message}`);
      }
      return true;
    };
    return retry(work, { ...BACKOFF, isTemporary });
  }

  close(): void {
    this.#isClosed = true;
  }
}
