import type { CurrentState } from '../../core/decide-batch.ts';
import type { CommitRecord, LoggedChange, LoggedOrder } from './commit-record.ts';

/** What commits that are perhaps not applied yet did to which keys. */
export class Overlay {
  /** By sort key (set and key): the last one. */
  readonly #changes = new Map<string, LoggedChange | LoggedOrder>();

  apply({ changes, raised }: CommitRecord): void {
    for (const change of changes) this.#changes.set(change.sortKey, change);
    for (const order of raised) this.#changes.set(order.sortKey, order);
  }

  /** @param record the very one that was applied */
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
