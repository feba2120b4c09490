import { ThreadPool } from '../../lib/workers/pool.ts';
import { receiveError } from '../../lib/workers/rpc.ts';
import type { DigestOptions, FileDigest } from '../content-root.ts';
import { folderThread } from './folder-thread.ts';
import type { HashedFolder, HashFunctions } from './hash.worker.ts';
import type { FileToHash } from './hash-file.ts';

const THREADS = 2;
/** Bytes. Calling a thread takes as long as hashing this much, so smaller files share a call. */
const SMALL = 65_536;
/** Files of a call. */
const MOST_FILES = 32;

/** Number of files to request at the same time, so that each thread has a full call. */
export const HASHED_AT_ONCE = THREADS * MOST_FILES;

interface Waiting {
  readonly file: FileToHash;
  readonly resolve: (digest: FileDigest) => void;
  readonly reject: (error: unknown) => void;
}

/** Hashes the files of a folder in a few threads. */
export class HashClient {
  readonly #threads: ThreadPool<HashFunctions>;
  /**
   * Small files that were requested in this turn of the event loop. A call has those of one signal only, because a
   * signal ends the thread.
   */
  readonly #waiting = new Map<AbortSignal | undefined, Waiting[]>();

  constructor(folder: HashedFolder) {
    this.#threads = new ThreadPool(THREADS, folderThread('hash.worker', folder));
  }

  /** @throws as `ContentRoot.digest` */
  digest(path: string, { signal, length, copied }: DigestOptions): Promise<FileDigest> {
    const { promise, resolve, reject } = Promise.withResolvers<FileDigest>();
    const waiting: Waiting = { file: { path, copied }, resolve, reject };
    if (length === undefined || length > SMALL) this.#hash([waiting], signal);
    else this.#add(waiting, signal);
    return promise;
  }

  #add(file: Waiting, signal: AbortSignal | undefined): void {
    const files = this.#waiting.get(signal) ?? [];
    files.push(file);
    if (files.length === MOST_FILES) this.#flush(signal);
    else if (files.length === 1) {
      this.#waiting.set(signal, files);
      setImmediate(() => this.#flush(signal));
    }
  }

  #flush(signal: AbortSignal | undefined): void {
    const files = this.#waiting.get(signal);
    this.#waiting.delete(signal);
    if (files !== undefined) this.#hash(files, signal);
  }

  #hash(files: readonly Waiting[], signal: AbortSignal | undefined): void {
    const hashing = this.#threads.call('hash', [files.map(({ file }) => file)], signal);
    for (const [at, { resolve, reject }] of files.entries()) {
      hashing
        .then((results) => {
          const result = results[at]!;
          if ('error' in result) throw receiveError(result.error);
          resolve(result);
        })
        .catch(reject);
    }
  }
}
