import type { FileDigest } from '../content-root.ts';
import type { HashedRoot } from './hash-file.ts';
import { HeldThread } from './held-thread.ts';

const THREADS = 2;

type HashThread = HeldThread<string, FileDigest>;

/** Hashes files in a few threads, each with one file at a time: so stopping one stops nothing else. */
export class HashClient {
  readonly #idle: HashThread[];
  readonly #queue: ((thread: HashThread) => void)[] = [];

  constructor(workerData: HashedRoot) {
    this.#idle = Array.from({ length: THREADS }, () => new HeldThread<string, FileDigest>('hash-thread', workerData));
  }

  /** Rejects with the signal's reason when it is aborted, also in the middle of a large file. */
  async digest(path: string, signal: AbortSignal | undefined): Promise<FileDigest> {
    const thread = this.#idle.pop() ?? (await new Promise<HashThread>((resolve) => this.#queue.push(resolve)));
    const stop = (): void => thread.end();
    thread.hold();
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', stop);
      return await thread.ask(path);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      thread.letGo();
      this.#release(thread);
    }
  }

  #release(thread: HashThread): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#idle.push(thread);
    else next(thread);
  }
}
