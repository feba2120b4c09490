import type { CurrentState } from '../../core/decide-batch.ts';
import type { CommitRecord, LoggedChange, LoggedOrder } from './commit-record.ts';

/** The last changes and orders of keys in commits that may not be applied yet. */
export class Overlay {
  /** The last change or order by sort key (set and key). */
  readonly #changes = new Map<string, LoggedChange | LoggedOrder>();

  apply({ changes, raised }: CommitRecord): void {
    for (const change of changes) this.#changes.set(change.sortKey, change);
    for (const order of raised) this.#changes.set(order.sortKey, order);
  }

  /** @param record the same object that was applied */
  forget({ changes, raised }: CommitRecord): void {
    for (const change of [...changes, ...raised]) {
      if (this.#changes.get(change.sortKey) === change) this.#changes.delete(change.sortKey);
    }
  }

  get(sortKey: string): CurrentState | undefined {
    const change = this.#changes.get(sortKey);
    if (change === undefined) return undefined;
    const { encoded: state, stamp, created, weight, order } = change;
    return { state, stamp, created, weight, order, raised: 'raised' in change ? change.raised : undefined };
  }
}
