import { setTimeout as wait } from 'node:timers/promises';
import type { Change } from '../../core/change.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { ChangeLog, LogEntry } from '../../stores/change-log.ts';
import type { Limits } from '../../stores/resource-states.ts';

/** Number of changes that are kept in memory for all followers of a set. */
const MOST_KEPT = 1_000;
/** Bytes of their entries. */
const MOST_KEPT_WEIGHT = 1_000_000;

interface FeedPart {
  readonly changes: readonly Change[];
  /** The boundary up to which these are all changes. */
  readonly until: Stamp;
}

/** The changes of one set, for any number of followers. The newest ones are in memory; older ones are in the store. */
export class ChangeFeed {
  readonly set: SetId;
  readonly #index: ChangeLog;
  readonly #waiting = new Set<() => void>();
  /** All changes of the set between two boundaries: `#from` and `#through`. */
  #kept: readonly Change[] = [];
  #from: Stamp;
  #through: Stamp;
  /** Entries that the log tail has passed and that are not kept yet. */
  #pending = { entries: 0, weight: 0, newest: 0 };
  #revision = 0;

  /** @param from the boundary above which the log tail passes entries */
  constructor(set: SetId, index: ChangeLog, from: Stamp) {
    this.set = set;
    this.#index = index;
    this.#from = from;
    this.#through = from;
  }

  /** Differs whenever there may be new changes. Read it before calling `read`, and pass it to `news`. */
  get revision(): number {
    return this.#revision;
  }

  /** Takes entries from the log tail; `keep` makes them readable. */
  note(entries: readonly LogEntry[]): void {
    if (entries.length === 0) return;
    const weight = entries.reduce((sum, entry) => sum + entry.weight, 0);
    this.#pending.entries += entries.length;
    this.#pending.weight += weight;
    this.#pending.newest = entries.at(-1)!.stamp;
  }

  /** Reads the new changes, and wakes the followers. If they are too many, they are only read from the store. */
  async keep(): Promise<void> {
    const { entries, weight, newest } = this.#pending;
    if (entries === 0) return;
    this.#pending = { entries: 0, weight: 0, newest: 0 };
    const until = newest + 1;
    try {
      const isTooMuch = entries > MOST_KEPT || weight > MOST_KEPT_WEIGHT;
      const changes = isTooMuch ? undefined : await this.#read(this.#through, until);
      if (changes === undefined) this.#forget(until);
      else this.#add(changes, until);
    } catch (error) {
      // Followers read from the store, and get its error themselves.
      this.#forget(until);
      throw error;
    } finally {
      this.#wake();
    }
  }

  /**
   * The first changes after a boundary, as many as both limits permit, but at least one if there is any.
   * @throws TidemarkError `not-found` when the set was removed; `unavailable`
   */
  async read(after: Stamp, { entries, weight }: Limits): Promise<FeedPart> {
    const through = Math.max(after, this.#through);
    const batches = after >= this.#from ? [this.#kept] : this.#index.changes(this.set, { after, until: through });
    const changes: Change[] = [];
    let total = 0;
    for await (const batch of batches) {
      for (const change of batch) {
        if (change.stamp < after) continue;
        total += change.weight;
        const isFull = changes.length === entries || (changes.length > 0 && total > weight);
        if (isFull) return { changes, until: changes.at(-1)!.stamp + 1 };
        changes.push(change);
      }
    }
    return { changes, until: through };
  }

  /**
   * Resolves with true when the revision differs; with false after `ms` milliseconds, or when the signal is aborted.
   */
  async news(
    revision: number,
    { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<boolean> {
    if (revision !== this.#revision) return true;
    if (signal.aborted) return false;
    const ended = new AbortController();
    const end = () => ended.abort();
    this.#waiting.add(end);
    signal.addEventListener('abort', end);
    try {
      await wait(ms, undefined, { signal: ended.signal }).catch(() => {});
    } finally {
      this.#waiting.delete(end);
      signal.removeEventListener('abort', end);
    }
    return revision !== this.#revision;
  }

  #wake(): void {
    this.#revision += 1;
    for (const end of [...this.#waiting]) end();
  }

  async #read(after: Stamp, until: Stamp): Promise<readonly Change[]> {
    const changes: Change[] = [];
    for await (const batch of this.#index.changes(this.set, { after, until })) changes.push(...batch);
    return changes;
  }

  #add(changes: readonly Change[], until: Stamp): void {
    const all = [...this.#kept, ...changes];
    let first = Math.max(all.length - MOST_KEPT, 0);
    let weight = all.slice(first).reduce((sum, change) => sum + change.weight, 0);
    for (; weight > MOST_KEPT_WEIGHT; first++) weight -= all[first]!.weight;
    this.#kept = all.slice(first);
    if (first > 0) this.#from = all[first - 1]!.stamp + 1;
    this.#through = until;
  }

  #forget(until: Stamp): void {
    this.#kept = [];
    this.#from = until;
    this.#through = until;
  }
}
