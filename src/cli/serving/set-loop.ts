import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { App } from '../../app.ts';
import { isTidemarkError } from '../../core/errors.ts';
import { type ResourceSet, readingSettings } from '../../core/resource-set.ts';
import type { SetGrant } from '../../sources/scanners/set-grant.ts';
import { type SyncEvents, SyncLoop } from '../../sources/sync/sync-loop.ts';
import type { SyncSummary } from '../../sources/sync-counter.ts';

/** Milliseconds between two attempts to record that a set is ready. */
const RETRY_MS = 2_000;

/** Keeps one set in sync while this process is its owner, and records its state for other processes, which show it. */
export class SetLoop {
  /** With its present settings. */
  set: ResourceSet;
  /** Resolves when the first sync was complete and the set is ready; with false when the loop was stopped before. */
  readonly ready: Promise<boolean>;
  readonly grant: SetGrant;
  readonly #app: App;
  readonly #loop: SyncLoop;
  readonly #stopping = new AbortController();
  #recording: Promise<void> = Promise.resolve();

  constructor(app: App, set: ResourceSet, shown: SyncEvents) {
    this.#app = app;
    this.set = set;
    this.grant = app.scanners.grant(set);
    const source = app.sources.sourceOf(set);
    this.#loop = new SyncLoop({ set, source, updater: this.grant, events: this.#eventsOf(shown) });
    this.ready = this.#markReady();
  }

  start(): void {
    this.#loop.start();
  }

  /** Takes over settings that need no other loop. Returns false when another one is needed. */
  follow(now: ResourceSet): boolean {
    if (now === this.set) return true;
    if (!isSyncedAlike(this.set, now)) return false;
    if (now.scanRequested !== this.set.scanRequested) this.#loop.syncAll();
    this.set = now;
    return true;
  }

  /** Resolves when everything that was posted has its answer, and nothing is posted any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const stopped = this.#loop.stop();
    // What waits for the lease is not posted any more.
    await this.grant.end();
    await stopped;
    await this.ready;
    await this.#recording;
  }

  #eventsOf(shown: SyncEvents): SyncEvents {
    const { log } = this.#app.postings;
    return {
      ...shown,
      onScanned: (summary, extent, under) => {
        log.addSync(this.set.id, summary);
        if (extent === 'full') this.#recordScan(summary);
        shown.onScanned?.(summary, extent, under);
      },
      onTrouble: (error) => {
        this.#recordTrouble(error.message);
        shown.onTrouble?.(error);
      },
      onRecovered: () => {
        this.#recordTrouble(undefined);
        shown.onRecovered?.();
      },
    };
  }

  /** This fails silently when the store itself is in trouble. */
  #recordTrouble(problem: string | undefined): void {
    this.#record(() => this.#app.sets.recordTrouble(this.set.slug, problem));
  }

  #recordScan({ hidden }: SyncSummary): void {
    this.#recordTrouble(undefined);
    this.#record(() => this.#app.sets.recordHidden(this.set.slug, hidden));
  }

  #record(write: () => Promise<void>): void {
    const { lease } = this.#app.scanners;
    const { signal } = this.#stopping;
    // A process that was paused does not write over what its successor has found.
    const writeOwn = async () => {
      if (!lease.isHeld) await Promise.race([lease.whenHeld(), aborted(signal)]);
      if (lease.isHeld && lease.owns(this.set.id)) await write();
    };
    this.#recording = this.#recording.then(writeOwn).catch(() => {});
  }

  async #markReady(): Promise<boolean> {
    const { signal } = this.#stopping;
    if ((await this.#loop.firstSync) === undefined) return false;
    while (!signal.aborted) {
      try {
        await this.#app.sets.markReady(this.set.slug);
        return true;
      } catch (error) {
        // The set was removed meanwhile; any other error comes from the store and may pass.
        if (isTidemarkError(error, 'gone')) return false;
        await wait(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
    return false;
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function isSyncedAlike(one: ResourceSet, other: ResourceSet): boolean {
  const settings = (set: ResourceSet) => [set.urlPrefix, set.linkRules, ...readingSettings(set)];
  return isDeepStrictEqual(settings(one), settings(other));
}
