import { unlessAborted } from './unless-aborted.ts';

/** Runs works one at a time, in the order in which they were asked for. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();
  #holders = 0;

  /** Whether no work runs or waits. */
  get isFree(): boolean {
    return this.#holders === 0;
  }

  /**
   * @param signal ends the waiting alone: work that has begun goes on
   * @throws what the work throws; the signal's reason when it is aborted before the work begins
   */
  async run<Result>(work: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** For what is no function, such as a generator: the next one waits until the returned function is called. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    const before = this.#last;
    const { promise: released, resolve } = Promise.withResolvers<void>();
    this.#last = before.then(() => released);
    this.#holders += 1;
    const release = () => {
      this.#holders -= 1;
      resolve();
    };
    try {
      await unlessAborted(before, signal);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }
}
