import { setImmediate } from 'node:timers/promises';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { CoalescedRead } from '../../lib/calls/coalesced-read.ts';
import type { ChangeLog, LogEntry } from '../../stores/change-log.ts';

/** Number of entries that are read at once: takes about a millisecond. */
const BATCH = 2_000;

type Listener = (entries: readonly LogEntry[]) => void;

/** Follows the log, and passes the changes of each set to its followers. */
export class LogTail {
  readonly #index: ChangeLog;
  readonly #listeners = new Map<SetId, Listener>();
  /** The boundary up to which every change was passed on. */
  #head: Stamp | undefined;
  readonly #shared = new CoalescedRead(() => this.#readOn());

  constructor(index: ChangeLog) {
    this.#index = index;
  }

  /** Resolves when everything that was committed before the call has been passed on. */
  catchUp(): Promise<void> {
    return this.#shared.read();
  }

  /** Follows a set from here on. Returns the boundary above which its changes will be passed on. */
  async follow(set: SetId, listener: Listener): Promise<Stamp> {
    this.#head ??= await this.#index.watermark();
    this.#listeners.set(set, listener);
    return this.#head;
  }

  unfollow(set: SetId): void {
    this.#listeners.delete(set);
  }

  async #readOn(): Promise<void> {
    const until = await this.#index.watermark();
    this.#head ??= until;
    while (this.#head < until) {
      const entries = await this.#index.tail(this.#head, BATCH);
      this.#handOn(entries);
      this.#head =
        entries.length < BATCH ? Math.max(until, (entries.at(-1)?.stamp ?? 0) + 1) : entries.at(-1)!.stamp + 1;
      if (entries.length === BATCH) await setImmediate();
    }
  }

  #handOn(entries: readonly LogEntry[]): void {
    const bySet = new Map<SetId, LogEntry[]>();
    for (const entry of entries) {
      if (!this.#listeners.has(entry.set)) continue;
      const of = bySet.get(entry.set);
      if (of === undefined) bySet.set(entry.set, [entry]);
      else of.push(entry);
    }
    for (const [set, of] of bySet) this.#listeners.get(set)?.(of);
  }
}
