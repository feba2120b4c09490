import type { CurrentState } from '../../core/decide-batch.ts';
import type { CommitRecord, LoggedChange } from './commit-record.ts';

/** What commits that are perhaps not applied yet did to which keys. */
export class Overlay {
  /** By sort key (set and key): the last one. */
  readonly #changes = new Map<string, LoggedChange>();

  apply({ changes }: CommitRecord): void {
    for (const change of changes) this.#changes.set(change.sortKey, change);
  }

  /** @param record the very one that was applied */
  forget({ changes }: CommitRecord): void {
    for (const change of changes)
      if (this.#changes.get(change.sortKey) === change) this.#changes.delete(change.sortKey);
  }

  get(sortKey: string): CurrentState | undefined {
    const change = this.#changes.get(sortKey);
    return change && { state: change.encoded, stamp: change.stamp, created: change.created, weight: change.weight };
  }
}
