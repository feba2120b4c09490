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
  /** Sets of this process whose last sync has failed. */
  readonly #troubled = new Map<SetId, ResourceSet>();
  #epoch = 0;
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
        this.#troubled.delete(set.id);
        lease.setReadable(set.id, true);
        events.onSynced?.();
      },
      onTrouble: (error) => {
        this.#troubled.set(set.id, set);
        events.onTrouble?.(error);
        this.#leave(set).catch(() => {});
      },
      onStopped: () => {
        this.#troubled.delete(set.id);
        events.onStopped?.();
      },
    };
  }

  /**
   * Once in a lease, and when the members have changed: leaves what is in trouble to those that have joined since, and
   * reads again what could not be read, unless a loop does so.
   */
  check(running: readonly SetId[], sets: readonly ResourceSet[]): void {
    const { lease, leaseMs } = this.#app.scanners;
    const { epoch } = lease.state;
    const isDue = epoch !== this.#epoch || performance.now() - this.#readAt >= leaseMs;
    if (this.#isReading || !isDue) return;
    this.#epoch = epoch;
    this.#readAt = performance.now();
    const unreadable = lease.unreadable.filter((id) => !running.includes(id));
    if (unreadable.length + this.#troubled.size === 0) return;
    this.#isReading = true;
    this.#reading = this.#readAll(unreadable, sets).finally(() => {
      this.#isReading = false;
    });
  }

  async #readAll(unreadable: readonly SetId[], sets: readonly ResourceSet[]): Promise<void> {
    const leave = (set: ResourceSet) => this.#leave(set).catch(() => {});
    for await (const _ of mapInOrder([...this.#troubled.values()], AT_ONCE, leave)) if (this.#isStopped) return;
    // A store that does not answer is not the fault of a root: it is tried again.
    await this.#read(unreadable, sets).catch(() => {});
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
