import { Mutex } from '../../lib/calls/mutex.ts';
import type { ProcessThreadData } from './process.worker.ts';
import { ProcessingThread } from './processing-thread.ts';

/**
 * The threads that process uploads: one upload of an organization at a time, to use the memory of only one, while
 * those of other organizations do not wait for it.
 */
export class ProcessingThreads {
  readonly #data: ProcessThreadData;
  readonly #all = new Set<ProcessingThread>();
  readonly #free: ProcessingThread[] = [];
  readonly #organizations = new Map<string, Mutex>();

  constructor(data: ProcessThreadData) {
    this.#data = data;
  }

  /**
   * @param signal ends only the waiting
   * @throws what the work throws; the signal's reason when it is aborted before the work begins
   */
  async run<Result>(
    organization: string,
    work: (thread: ProcessingThread) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const mutex = this.#organizations.get(organization) ?? new Mutex();
    this.#organizations.set(organization, mutex);
    try {
      return await mutex.run(() => this.#withThread(work), signal);
    } finally {
      if (mutex.isFree) this.#organizations.delete(organization);
    }
  }

  async #withThread<Result>(work: (thread: ProcessingThread) => Promise<Result>): Promise<Result> {
    const thread = this.#free.pop() ?? this.#start();
    try {
      return await work(thread);
    } finally {
      this.#free.push(thread);
    }
  }

  #start(): ProcessingThread {
    const thread = new ProcessingThread(this.#data);
    this.#all.add(thread);
    return thread;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.close()));
  }
}
