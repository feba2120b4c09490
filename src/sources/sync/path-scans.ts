import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { RootProblem } from '../content-root.ts';
import { HintedScans } from './hinted-scans.ts';
import type { Scanned } from './scan.ts';

/** Scans of those paths, in any set, of which somebody says that they have changed. */
export class PathScans {
  readonly #scanned: (set: ResourceSet) => Scanned;
  readonly #hinted = new Map<SetId, HintedScans>();
  /** The sets as they were in the last call. */
  readonly #sets = new Map<SetId, ResourceSet>();

  constructor(scanned: (set: ResourceSet) => Scanned) {
    this.#scanned = scanned;
  }

  /** As `HintedScans.tell`. */
  tell(set: ResourceSet, paths: readonly string[]): Promise<readonly RootProblem[]> {
    this.#sets.set(set.id, set);
    let scans = this.#hinted.get(set.id);
    if (scans === undefined) {
      scans = new HintedScans(() => this.#scanned(this.#sets.get(set.id)!));
      this.#hinted.set(set.id, scans);
    }
    return scans.tell(paths);
  }
}
