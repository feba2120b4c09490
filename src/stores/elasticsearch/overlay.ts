import type { CurrentState } from '../../core/decide-batch.ts';
import type { CommitRecord, LoggedChange } from './commit-record.ts';

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

  get(order: string): CurrentState | undefined {
    const change = this.#changes.get(order);
    return change && { state: change.encoded, stamp: change.stamp, created: change.created, weight: change.weight };
  }
}
