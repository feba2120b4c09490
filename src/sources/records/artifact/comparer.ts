import type { Worker } from 'node:worker_threads';
import { Mutex } from '../../../lib/calls/mutex.ts';
import { prefetch } from '../../../lib/calls/prefetch.ts';
import { CalledThread, startWorker } from '../../../lib/workers/rpc.ts';
import type { CompareFunctions, CompareThreadData } from './compare.worker.ts';
import type { Comparison, ComparisonStep } from './compare-records.ts';

/**
 * Compares records in a thread that ends with the comparison: it reads and hashes a million documents, and the HTTP
 * thread receives only the differences. Comparisons run one at a time, to use the memory of only one.
 */
export class Comparer {
  readonly #threadData: CompareThreadData;
  readonly #mutex = new Mutex();
  #running: CalledThread<CompareFunctions> | undefined;
  #closed = false;

  constructor(threadData: CompareThreadData) {
    this.#threadData = threadData;
  }

  /**
   * Starts when all earlier comparisons have ended. A caller that stops reading steps stops the comparison.
   * @throws TidemarkError as `compareRecords`; the signal's reason when it is aborted
   */
  async *compare(comparison: Comparison, signal?: AbortSignal): AsyncGenerator<ComparisonStep> {
    const release = await this.#mutex.acquire(signal);
    try {
      yield* this.#compare(comparison, signal);
    } finally {
      release();
    }
  }

  /** Stops the running comparison. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#running?.stop('the program ends');
    await this.#mutex.run(() => {});
  }

  async *#compare(comparison: Comparison, signal: AbortSignal | undefined): AsyncGenerator<ComparisonStep> {
    const thread = new CalledThread<CompareFunctions>({ work: 'comparing records', start: () => this.#start() });
    const stop = () => thread.stop();
    this.#running = thread;
    signal?.addEventListener('abort', stop);
    try {
      if (this.#closed) throw new Error('it is closed');
      await thread.call('begin', [comparison]);
      yield* prefetch(() => thread.call('next', []));
      await thread.close();
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#running = undefined;
      thread.stop();
    }
  }

  #start(): Worker {
    return startWorker('./compare.worker', import.meta.url, { workerData: this.#threadData });
  }
}
