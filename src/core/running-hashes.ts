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

  /** Nothing can be added after. */
  digest(): Hashes {
    return Object.fromEntries(this.#running.map(([algorithm, hash]) => [algorithm, hash.digest('hex')]));
  }
}

/** Hashes of bytes that are all there, which take less time together. */
export function hashesOf(bytes: Uint8Array, algorithms: readonly HashAlgorithm[]): Hashes {
  return Object.fromEntries(algorithms.map((algorithm) => [algorithm, hash(algorithm.replace('-', ''), bytes)]));
}
