import { receiveError } from '../../lib/workers/rpc.ts';
import type { DigestOptions, FileDigest } from '../content-root.ts';
import { type FolderThreads, HASH_THREADS } from './folder-threads.ts';
import type { HashedFolder } from './hash.worker.ts';
import type { FileToHash } from './hash-file.ts';

/** Bytes. Calling a thread takes as long as hashing this much, so smaller files share a call. */
const SMALL = 65_536;
/** Bytes. Files that take longer than some calls of small ones. */
const LONG = 16_777_216;
/** Files of a call. */
const MOST_FILES = 32;

/** Number of files to request at the same time, so that each thread has a full call. */
export const HASHED_AT_ONCE = HASH_THREADS * MOST_FILES;

interface Waiting {
  readonly file: FileToHash;
  readonly resolve: (digest: FileDigest) => void;
  readonly reject: (error: unknown) => void;
}

type HashPool = FolderThreads['hashing'];

/** Hashes the files of a folder in the threads of its file system. */
export class HashClient {
  readonly #folder: HashedFolder;
  readonly #threads: () => FolderThreads;
  /**
   * Small files that were requested in this turn of the event loop. A call has those of one signal only, because a
   * signal ends the thread.
   */
  readonly #waiting = new Map<AbortSignal | undefined, Waiting[]>();

  constructor(folder: HashedFolder, threads: () => FolderThreads) {
    this.#folder = folder;
    this.#threads = threads;
  }

  /** @throws as `ContentRoot.digest` */
  digest(path: string, { signal, length, copied }: DigestOptions): Promise<FileDigest> {
    const { promise, resolve, reject } = Promise.withResolvers<FileDigest>();
    const waiting: Waiting = { file: { path, copied }, resolve, reject };
    const { hashing, hashingLong } = this.#threads();
    if (length === undefined || length > LONG) this.#hash(hashingLong, [waiting], signal);
    else if (length > SMALL) this.#hash(hashing, [waiting], signal);
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
    if (files !== undefined) this.#hash(this.#threads().hashing, files, signal);
  }

  #hash(threads: HashPool, files: readonly Waiting[], signal: AbortSignal | undefined): void {
    const hashing = threads.call('hash', [this.#folder, files.map(({ file }) => file)], signal);
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
