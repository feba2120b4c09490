import { setTimeout } from 'node:timers/promises';

/** Shorter waits are added up: a timer is not exact. */
const LEAST_WAIT_MS = 20;

/** Lets work read no more bytes in a second than a limit. */
export class RateLimit {
  readonly #bytesPerSecond: number;
  /** When the bytes that were read so far may have been read, in milliseconds of the monotonic clock. */
  #paid = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Waits after bytes were read, until the next may be. @throws the signal's reason */
  async spend(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    const now = performance.now();
    this.#paid = Math.max(this.#paid, now) + (bytes / this.#bytesPerSecond) * 1000;
    if (this.#paid - now >= LEAST_WAIT_MS) await setTimeout(this.#paid - now, undefined, { signal });
  }
}
