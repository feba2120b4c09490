import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { App } from '../../app.ts';
import { isTidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import { type ResourceSet, readingSettings, type SetId } from '../../core/resource-set.ts';
import { type SyncEvents, SyncLoop } from '../../sources/sync/sync-loop.ts';
import type { SyncSummary } from '../../sources/sync-counter.ts';

/**
 * Milliseconds between two checks which sets exist: another process may add or remove one. An idle server sends its
 * store few other requests.
 */
const CHECK_INTERVAL_MS = 2000;

interface Running {
  readonly set: ResourceSet;
  readonly loop: SyncLoop;
  /** Resolves when the first sync was complete and the set is ready; with false when it was stopped before. */
  readonly ready: Promise<boolean>;
}

/** Keeps every set in sync with its source, as long as the set exists. */
export class SyncLoops {
  readonly #app: App;
  readonly #eventsOf: (set: ResourceSet) => SyncEvents;
  readonly #running = new Map<SetId, Running>();
  readonly #stopping = new AbortController();
  #version = -1;
  #following: Promise<void> = Promise.resolve();
  #recording: Promise<void> = Promise.resolve();

  constructor(app: App, eventsOf: (set: ResourceSet) => SyncEvents) {
    this.#app = app;
    this.#eventsOf = eventsOf;
  }

  /** Starts with the sets that exist now. */
  async start(): Promise<void> {
    await this.#match();
    this.#following = this.#follow();
  }

  /** Resolves when the set's first sync was complete and it is ready; with false when it was stopped before. */
  async ready(id: SetId): Promise<boolean> {
    for (let running = this.#running.get(id); running !== undefined; ) {
      if (await running.ready) return true;
      const next = this.#running.get(id);
      // Another loop, with other settings, was started.
      running = next === running ? undefined : next;
    }
    return false;
  }

  /** Resolves when the changes being posted are committed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    await Promise.all([...this.#running.values()].map(({ loop }) => loop.stop()));
    await Promise.all([...this.#running.values()].map(({ ready }) => ready));
    await this.#recording;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await wait(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      // The loops report a store that does not answer; here it is only retried.
      await this.#match().catch(() => {});
    }
  }

  async #match(): Promise<void> {
    const version = await this.#app.sets.version();
    if (version === this.#version) return;
    const sets = (await this.#app.sets.list()).filter(({ origin }) => traitsOf(origin).source !== undefined);
    const current = new Map(sets.map((set) => [set.id, set]));
    for (const [id, running] of this.#running) {
      const { set, loop } = running;
      const now = current.get(id);
      if (now !== undefined && isSyncedAlike(set, now)) {
        if (now.scanRequested !== set.scanRequested) loop.syncAll();
        this.#running.set(id, { ...running, set: now });
        continue;
      }
      this.#running.delete(id);
      const stopped = loop.stop();
      // With other settings, everything is compared again.
      if (now !== undefined) this.#begin(now, stopped);
      await stopped;
      if (now !== undefined) continue;
      this.#app.sources.closeRootOf(id);
      await this.#app.sources.removeCopies();
    }
    for (const set of sets) if (!this.#running.has(set.id)) this.#begin(set);
    this.#version = version;
  }

  #begin(set: ResourceSet, after: Promise<void> = Promise.resolve()): void {
    const { log: postingLog } = this.#app.postings;
    const { linked } = this.#app;
    const shown = this.#eventsOf(set);
    const events: SyncEvents = {
      ...shown,
      onScanned: (summary, extent, under) => {
        postingLog.addSync(set.id, summary);
        if (extent === 'full') this.#recordScan(set.slug, summary);
        shown.onScanned?.(summary, extent, under);
      },
      onTrouble: (error) => {
        this.#recordTrouble(set.slug, error.message);
        shown.onTrouble?.(error);
      },
      onRecovered: () => {
        this.#recordTrouble(set.slug, undefined);
        shown.onRecovered?.();
      },
    };
    const loop = new SyncLoop({ set, source: this.#app.sources.sourceOf(set), updater: linked.posterOf(set), events });
    this.#running.set(set.id, { set, loop, ready: this.#markReady(loop, set) });
    const start = () => loop.start();
    after.then(start, start);
  }

  /** Records trouble for other processes, which show it. This fails silently when the store itself is in trouble. */
  #recordTrouble(slug: string, problem: string | undefined): void {
    this.#recording = this.#recording.then(() => this.#app.sets.recordTrouble(slug, problem)).catch(() => {});
  }

  /** Records the result of a full scan for other processes, as `#recordTrouble`. */
  #recordScan(slug: string, { hidden }: SyncSummary): void {
    this.#recordTrouble(slug, undefined);
    this.#recording = this.#recording.then(() => this.#app.sets.recordHidden(slug, hidden)).catch(() => {});
  }

  async #markReady({ firstSync }: SyncLoop, { slug }: ResourceSet): Promise<boolean> {
    const { signal } = this.#stopping;
    if ((await firstSync) === undefined) return false;
    while (!signal.aborted) {
      try {
        await this.#app.sets.markReady(slug);
        return true;
      } catch (error) {
        // The set was removed meanwhile; any other error comes from the store and may pass.
        if (isTidemarkError(error, 'gone')) return false;
        await wait(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => {});
      }
    }
    return false;
  }
}

function isSyncedAlike(one: ResourceSet, other: ResourceSet): boolean {
  const settings = (set: ResourceSet) => [set.urlPrefix, set.linkRules, ...readingSettings(set)];
  return isDeepStrictEqual(settings(one), settings(other));
}
