import { type BigIntStats, statSync } from 'node:fs';
import { rootNotThere } from '../file-errors.ts';

/** Checks whether the folder at the root's path is still the same one. */
export class RootIdentity {
  readonly #root: string;
  readonly #stats: BigIntStats;

  /** @throws TidemarkError `unavailable` when there is no such folder */
  constructor(root: string) {
    this.#root = root;
    this.#stats = statFolder(root);
  }

  /**
   * @throws TidemarkError `unavailable` when the folder is missing or was replaced by another one (a disk that was
   *   unmounted)
   */
  check(): void {
    const { dev, ino } = statFolder(this.#root);
    if (dev !== this.#stats.dev || ino !== this.#stats.ino) throw rootNotThere(this.#root);
  }
}

function statFolder(root: string): BigIntStats {
  try {
    const stats = statSync(root, { bigint: true });
    if (stats.isDirectory()) return stats;
  } catch (error) {
    throw rootNotThere(root, error);
  }
  throw rootNotThere(root);
}
