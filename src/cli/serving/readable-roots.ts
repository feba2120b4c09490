import type { App } from '../../app.ts';
import { isTidemarkError, type TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { SyncEvents } from '../../sources/sync/sync-loop.ts';

/** Roots that are read at a time: one that hangs takes a thread. */
const AT_ONCE = 4;

/**
 * Finds the roots that this process cannot read, so that other servers get their sets, and reads them again once in a
 * lease. Other sources than folders and buckets are the same for all servers, or have a copy that only their owner has.
 */
export class ReadableRoots {
  readonly #app: App;
  readonly #onUnreadable: (set: ResourceSet, error: TidemarkError) => void;
  #reading: Promise<void> = Promise.resolve();
  #readAt = performance.now();
  #isReading = false;
  #isStopped = false;

  constructor(app: App, onUnreadable: (set: ResourceSet, error: TidemarkError) => void) {
    this.#app = app;
    this.#onUnreadable = onUnreadable;
  }

  around(set: ResourceSet, events: SyncEvents): SyncEvents {
    if (traitsOf(set.origin).root === undefined) return events;
    const { lease } = this.#app.scanners;
    return {
      ...events,
      onSynced: () => {
        lease.setReadable(set.id, true);
        events.onSynced?.();
      },
      onTrouble: (error) => {
        events.onTrouble?.(error);
        this.#leave(set).catch(() => {});
      },
    };
  }

  /** Reads again what could not be read, unless a loop does so. */
  check(running: readonly SetId[], sets: readonly ResourceSet[]): void {
    const { lease, leaseMs } = this.#app.scanners;
    if (this.#isReading || performance.now() - this.#readAt < leaseMs) return;
    const unreadable = lease.unreadable.filter((id) => !running.includes(id));
    this.#readAt = performance.now();
    if (unreadable.length === 0) return;
    this.#isReading = true;
    this.#reading = this.#read(unreadable, sets).finally(() => {
      this.#isReading = false;
    });
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#reading;
  }

  async #read(ids: readonly SetId[], sets: readonly ResourceSet[]): Promise<void> {
    const read = async (id: SetId) => {
      const set = sets.find((one) => one.id === id);
      const isReadable = set === undefined || (await this.#problemOf(set)) === undefined;
      if (isReadable) this.#app.scanners.lease.setReadable(id, true);
    };
    for await (const _ of mapInOrder(ids, AT_ONCE, read)) if (this.#isStopped) return;
  }

  /** The error may be one of the store: only a root that cannot be read is left to others. */
  async #leave(set: ResourceSet): Promise<void> {
    const { lease } = this.#app.scanners;
    if (!lease.hasOthers || lease.unreadable.includes(set.id)) return;
    const problem = await this.#problemOf(set);
    if (problem === undefined || this.#isStopped) return;
    this.#onUnreadable(set, problem);
    lease.setReadable(set.id, false);
  }

  async #problemOf(set: ResourceSet): Promise<TidemarkError | undefined> {
    try {
      await this.#app.sources.requireReadable(set);
      return undefined;
    } catch (error) {
      if (isTidemarkError(error, 'unavailable')) return error;
      throw error;
    }
  }
}
