import { hasMovedError, isPausedError } from '../../store-fence.ts';
import type { CommitRecord, FenceMark } from '../commit-record.ts';

interface KnownFence {
  readonly mark: FenceMark;
  /** When it was committed, by the clock of the process that did so. */
  readonly time: number;
  /** When this process read it, by `performance.now()`. */
  readonly since: number;
}

/** Whether the newest known commit fences the store. It is cooperative: only the number of a commit decides. */
export class FenceHead {
  #known: KnownFence | undefined;

  take(head: Pick<CommitRecord, 'fence' | 'time'> | undefined): void {
    const { fence: mark, time = 0 } = head ?? {};
    this.#known = mark && { mark, time, since: performance.now() };
  }

  get mark(): FenceMark | undefined {
    return this.#known?.mark;
  }

  /** Whether no writer may follow now. */
  get isClosed(): boolean {
    if (this.#known === undefined) return false;
    const { mark, time, since } = this.#known;
    if (mark.kind !== 'pause') return mark.kind === 'moved';
    // By both clocks: a wrong one must not make it longer, and a shorter pause only fails.
    return performance.now() - since < mark.forMs && Date.now() - time < mark.forMs;
  }

  /** The commits that end a fence are those of its own process. */
  isClosedTo({ fence }: Pick<CommitRecord, 'fence'>): boolean {
    return this.isClosed && (fence === undefined || fence.kind === 'pause');
  }

  /** @throws TidemarkError `unavailable` during a pause, and when the store has moved */
  require(): void {
    if (!this.isClosed) return;
    const { mark } = this.#known!;
    throw mark.kind === 'moved' ? hasMovedError(mark.to) : isPausedError();
  }
}
