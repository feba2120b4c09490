import { createHash } from 'node:crypto';
import type { HashAlgorithm, Hashes } from '../../core/hash.ts';

/** Hashes of bytes that come one after the other. */
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
