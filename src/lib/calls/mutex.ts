import { unlessAborted } from './unless-aborted.ts';

/** Runs tasks one at a time, in the order of the calls. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();
  #holders = 0;

  /** Whether no task runs or waits. */
  get isFree(): boolean {
    return this.#holders === 0;
  }

  /**
   * @param signal ends only the waiting: a task that has begun continues
   * @throws what the task throws; the signal's reason when it is aborted before the task begins
   */
  async run<Result>(work: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** For work that is not one function call, such as a generator: others wait until the returned function is called. */
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
