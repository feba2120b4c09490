import { HASH_ALGORITHMS, type HashAlgorithm } from '../../core/hash.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import type { StoredObject } from '../artifact-store.ts';
import type { Block } from '../blocks.ts';
import { type HashThread, takeHashThread } from './hash-threads.ts';

/** MD5 takes as long as the other two together. */
const SHARES: readonly (readonly HashAlgorithm[])[] = [['md5'], ['sha-1', 'sha-256']];

/**
 * Hashes the blocks of one body with each algorithm. A body of several blocks is hashed in threads: all three
 * algorithms take 3.5 seconds for a gigabyte, which would block the main thread.
 */
export class BlockHasher {
  #threads: HashThread[] = [];
  readonly #shares: readonly (readonly HashAlgorithm[])[];
  readonly #here: RunningHashes;
  /** Whether only SHA-256 is computed: a thread would then save less time than it costs. */
  readonly #isQuick: boolean;

  /** Whether blocks must be in shared memory. */
  get usesThreads(): boolean {
    return !this.#isQuick;
  }

  constructor(algorithms: readonly HashAlgorithm[] = HASH_ALGORITHMS) {
    const shares = SHARES.map((share) => share.filter((one) => algorithms.includes(one)));
    this.#shares = shares.filter(({ length }) => length > 0);
    this.#isQuick = algorithms.every((algorithm) => algorithm === 'sha-256');
    this.#here = new RunningHashes(algorithms);
  }

  /** Adds the next block. Resolves when the buffer of the block may be reused. */
  async update({ bytes, isOnly }: Block): Promise<void> {
    if (isOnly || this.#isQuick) return this.#here.update(bytes);
    const begun = this.#threads.length === 0 ? this.#begin() : [];
    await Promise.all([...begun, ...this.#threads.map((thread) => thread.call('update', [bytes]))]);
  }

  async digest(): Promise<StoredObject['hashes']> {
    if (this.#threads.length === 0) return this.#here.digest() as StoredObject['hashes'];
    const parts = await Promise.all(this.#threads.map((thread) => thread.call('digest', [])));
    return Object.assign({}, ...parts);
  }

  /** Call it once nothing else of the body is hashed, also after an error. */
  end(): void {
    for (const thread of this.#threads.splice(0)) thread.release();
  }

  /** A thread executes its calls in their order. */
  #begin(): readonly Promise<void>[] {
    this.#threads = this.#shares.map(takeHashThread);
    return this.#threads.map((thread, at) => thread.call('begin', [this.#shares[at]!]));
  }
}
