import { unlessAborted } from './unless-aborted.ts';

/**
 * Lets a few tasks run at a time, in the order in which they came. A task that takes longer than a limit continues, but
 * does not count any more: so a long one delays others, and does not stop them.
 */
export class StartLimit {
  readonly #longestMs: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** @param longestMs milliseconds for which a task counts */
  constructor(most: number, longestMs: number) {
    this.#free = most;
    this.#longestMs = longestMs;
  }

  /**
   * Resolves when a task may begin, with the function to call at its end.
   * @throws the signal's reason when it is aborted before
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    const timer = setTimeout(() => leave(), this.#longestMs).unref();
    let isCounted = true;
    const leave = () => {
      clearTimeout(timer);
      if (isCounted) this.#next();
      isCounted = false;
    };
    return leave;
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    try {
      await unlessAborted(promise, signal);
    } catch (error) {
      const at = this.#waiting.indexOf(resolve);
      // It may have been called at the same time.
      if (at < 0) this.#next();
      else this.#waiting.splice(at, 1);
      throw error;
    }
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
