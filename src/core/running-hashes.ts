import { createHash, hash } from 'node:crypto';
import type { HashAlgorithm, Hashes } from './hash.ts';

/** Hashes of a stream of bytes, by several algorithms at once. */
export class RunningHashes {
  readonly #running;

  constructor(algorithms: readonly HashAlgorithm[]) {
    this.#running = algorithms.map((algorithm) => [algorithm, createHash(algorithm.replace('-', ''))] as const);
  }

  update(bytes: Uint8Array): void {
    for (const [, hash] of this.#running) hash.update(bytes);
  }

  /** Returns the digests. Nothing can be added afterwards. */
  digest(): Hashes {
    return Object.fromEntries(this.#running.map(([algorithm, hash]) => [algorithm, hash.digest('hex')]));
  }
}

/** Hashes bytes in memory, which takes less time than in pieces. */
export function hashesOf(bytes: Uint8Array, algorithms: readonly HashAlgorithm[]): Hashes {
  return Object.fromEntries(algorithms.map((algorithm) => [algorithm, hash(algorithm.replace('-', ''), bytes)]));
}
