import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { SourceProblem } from '../source.ts';
import { HintedScans } from './hinted-scans.ts';
import type { Synced } from './sync.ts';

/** Scans the paths, of any set, that clients report as changed. */
export class PathScans {
  readonly #synced: (set: ResourceSet) => Synced;
  readonly #hinted = new Map<SetId, HintedScans>();
  /** The sets as they were in the last call. */
  readonly #sets = new Map<SetId, ResourceSet>();

  constructor(synced: (set: ResourceSet) => Synced) {
    this.#synced = synced;
  }

  /** Same as `HintedScans.scan`. */
  scan(set: ResourceSet, paths: readonly string[]): Promise<readonly SourceProblem[]> {
    this.#sets.set(set.id, set);
    let scans = this.#hinted.get(set.id);
    if (scans === undefined) {
      scans = new HintedScans(() => this.#synced(this.#sets.get(set.id)!));
      this.#hinted.set(set.id, scans);
    }
    return scans.scan(paths);
  }
}
