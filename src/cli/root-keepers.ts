import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { App } from '../app.ts';
import { isTidemarkError } from '../core/errors.ts';
import { traitsOf } from '../core/origin.ts';
import type { ResourceSet, SetId } from '../core/resource-set.ts';
import { RecordsKeeper } from '../sources/artifact/records-keeper.ts';
import type { Keeper, KeeperEvents } from '../sources/sync/keeper.ts';
import { RootKeeper } from '../sources/sync/root-keeper.ts';

/** Milliseconds between looks at which sets there are: another process may add or remove one. An idle source asks its store for little else. */
const LOOK_AGAIN = 2000;

interface Kept {
  readonly set: ResourceSet;
  readonly keeper: Keeper;
  /** Resolves when the first scan was complete and the set is ready; with false when it was stopped before. */
  readonly ready: Promise<boolean>;
}

/** Keeps every set that has a root, or records, in step with it, as long as the set is there. */
export class RootKeepers {
  readonly #app: App;
  readonly #eventsOf: (set: ResourceSet) => KeeperEvents;
  readonly #kept = new Map<SetId, Kept>();
  readonly #stopping = new AbortController();
  #version = -1;
  #following: Promise<void> = Promise.resolve();

  constructor(app: App, eventsOf: (set: ResourceSet) => KeeperEvents) {
    this.#app = app;
    this.#eventsOf = eventsOf;
  }

  /** Begins with the sets that there are now. */
  async start(): Promise<void> {
    await this.#match();
    this.#following = this.#follow();
  }

  /** Resolves when the set's first scan was complete and it is ready; with false when it was stopped before. */
  async ready(id: SetId): Promise<boolean> {
    for (let kept = this.#kept.get(id); kept !== undefined; ) {
      if (await kept.ready) return true;
      const next = this.#kept.get(id);
      // Another one began anew, with other settings.
      kept = next === kept ? undefined : next;
    }
    return false;
  }

  /** Resolves when what was being posted is committed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    await Promise.all([...this.#kept.values()].map(({ keeper }) => keeper.stop()));
    await Promise.all([...this.#kept.values()].map(({ ready }) => ready));
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await wait(LOOK_AGAIN, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      // A store that does not answer is told by the keepers; here it is asked again.
      await this.#match().catch(() => {});
    }
  }

  async #match(): Promise<void> {
    const version = await this.#app.sets.version();
    if (version === this.#version) return;
    const sets = (await this.#app.sets.list()).filter(({ origin }) => traitsOf(origin).source !== undefined);
    const current = new Map(sets.map((set) => [set.id, set]));
    for (const [id, { set, keeper }] of this.#kept) {
      const now = current.get(id);
      if (now !== undefined && isKeptAlike(set, now)) continue;
      this.#kept.delete(id);
      const stopped = keeper.stop();
      // With other settings, all of it is compared again.
      if (now !== undefined) this.#keep(now, stopped);
      await stopped;
    }
    for (const set of sets) if (!this.#kept.has(set.id)) this.#keep(set);
    this.#version = version;
  }

  #keep(set: ResourceSet, after: Promise<void> = Promise.resolve()): void {
    const { journal } = this.#app;
    const told = this.#eventsOf(set);
    const events: KeeperEvents = {
      ...told,
      onScanned: (summary, extent) => {
        journal.noteScan(set, summary);
        told.onScanned?.(summary, extent);
      },
    };
    const keeper = this.#newKeeper(set, events);
    this.#kept.set(set.id, { set, keeper, ready: this.#markReady(keeper, set) });
    after.then(() => keeper.start());
  }

  #newKeeper(set: ResourceSet, events: KeeperEvents): Keeper {
    const { index, updater, records, configuration } = this.#app;
    if (set.origin.kind !== 'artifact')
      return new RootKeeper({ ...this.#app.rootOf(set), set, index, updater, events });
    const pollInterval = configuration.recordsPollInterval;
    return new RecordsKeeper({ ...records.upkeepOf(set), events, pollInterval });
  }

  async #markReady({ firstScan }: Keeper, { slug }: ResourceSet): Promise<boolean> {
    const { signal } = this.#stopping;
    if ((await firstScan) === undefined) return false;
    while (!signal.aborted) {
      try {
        await this.#app.sets.markReady(slug);
        return true;
      } catch (error) {
        // It was removed meanwhile; any other error is the store's, and may pass.
        if (isTidemarkError(error, 'gone')) return false;
        await wait(LOOK_AGAIN, undefined, { signal }).catch(() => {});
      }
    }
    return false;
  }
}

function isKeptAlike(one: ResourceSet, other: ResourceSet): boolean {
  const settings = ({ exclude, publishHashes, urlPrefix }: ResourceSet) => [exclude, publishHashes, urlPrefix];
  return isDeepStrictEqual(settings(one), settings(other));
}
