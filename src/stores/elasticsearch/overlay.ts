import type { EncodedState } from '../../core/resource.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { CommitRecord, LoggedChange } from './commit-record.ts';

/** What is known of a key; stamp 0 and no state for one that never was. */
export interface Standing {
  readonly state: EncodedState | undefined;
  readonly stamp: Stamp;
  readonly created: Stamp;
  readonly weight: number;
}

/** What commits that are perhaps not applied yet did to which keys. */
export class Overlay {
  /** By order (set and key): the last one. */
  readonly #changes = new Map<string, LoggedChange>();

  lay({ changes }: CommitRecord): void {
    for (const change of changes) this.#changes.set(change.order, change);
  }

  /** @param record the very one that was laid */
  lift({ changes }: CommitRecord): void {
    for (const change of changes) if (this.#changes.get(change.order) === change) this.#changes.delete(change.order);
  }

  get(order: string): Standing | undefined {
    const change = this.#changes.get(order);
    return change && { state: change.encoded, stamp: change.stamp, created: change.created, weight: change.weight };
  }
}
