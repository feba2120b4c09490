import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../../app.ts';
import type { TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { SourceProblem } from '../../sources/source.ts';
import type { SyncEvents } from '../../sources/sync/sync-loop.ts';
import { ReadableRoots } from './readable-roots.ts';
import { SetLoop } from './set-loop.ts';

/**
 * Milliseconds between two checks which sets exist, and which of them are those of this process: another process may
 * add or remove one, start or end. An idle server sends its store few other requests.
 */
const CHECK_INTERVAL_MS = 2_000;
/** The same while members wait for each other. */
const SETTLING_INTERVAL_MS = 500;
const CHECKS_OF_LEASE = 6;

export interface SyncLoopsOptions {
  /** Receives the sync events of a set. */
  eventsOf(set: ResourceSet): SyncEvents;
  /** Sets that this process gets before others. */
  readonly wants?: readonly SetId[] | undefined;
  /** A root cannot be read here: the set is left to another server. */
  onUnreadable?(set: ResourceSet, error: TidemarkError): void;
  /** A path of which another server was notified cannot be read or published. */
  onProblem?(set: ResourceSet, problem: SourceProblem): void;
  /** The number of sets of this process, of all sets, has changed. */
  onShare?(share: string): void;
  /** Others have removed this process because it was silent; it joins again. */
  onLost?(): void;
}

/** Keeps the sets of which this process is the owner in sync with their sources: see sources/scanners/. */
export class SyncLoops {
  readonly #app: App;
  readonly #options: SyncLoopsOptions;
  readonly #running = new Map<SetId, SetLoop>();
  readonly #readable: ReadableRoots;
  readonly #stopping = new AbortController();
  /** The sets with a source, as of the last check. */
  #sets: readonly ResourceSet[] = [];
  #known: ReadonlySet<SetId> = new Set();
  /** The state of sets and members in which `#running` is right. */
  #matched = '';
  #checked = Promise.withResolvers<void>();
  #share = '';
  #following: Promise<void> = Promise.resolve();
  #matching: Promise<void> | undefined;

  constructor(app: App, options: SyncLoopsOptions) {
    this.#app = app;
    this.#options = options;
    this.#readable = new ReadableRoots(app, (set, error) => options.onUnreadable?.(set, error));
  }

  /** Starts with the sets that exist now. */
  async start(): Promise<void> {
    await this.#join();
    await this.#match(await this.#app.sets.version());
    this.#following = this.#follow();
  }

  /** Resolves when the set's first sync was complete and it is ready; with false when it was stopped before. */
  async ready(id: SetId): Promise<boolean> {
    for (;;) {
      const { promise: checked } = this.#checked;
      const running = this.#running.get(id);
      if (await running?.ready) return true;
      if (this.#stopping.signal.aborted || !this.#sets.some((set) => set.id === id)) return false;
      // Another loop, with other settings, is started, or another process has the set for a while.
      if (this.#running.get(id) === running) await checked;
    }
  }

  /** Resolves when the changes being posted are committed, and other processes may scan. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    await this.#matching;
    const isWhole = this.#sets.every(({ id }) => this.#running.get(id)?.grant.isBegun === true);
    await this.#stopAll();
    this.#checked.resolve();
    await this.#readable.stop();
    // When the store does not answer, others wait for the lease.
    await this.#app.scanners.lease.leave({ isWhole }).catch(() => {});
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await wait(this.#intervalMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      // The loops report a store that does not answer; here it is only retried.
      await this.#check().catch(() => {});
      this.#checked.resolve();
      this.#checked = Promise.withResolvers();
    }
  }

  get #intervalMs(): number {
    const { lease, leaseMs } = this.#app.scanners;
    const intervalMs = lease.isSettled ? CHECK_INTERVAL_MS : SETTLING_INTERVAL_MS;
    return Math.min(intervalMs, leaseMs / CHECKS_OF_LEASE);
  }

  async #check(): Promise<void> {
    const { sets, scanners } = this.#app;
    const wasMember = scanners.lease.isMember;
    const [version] = await Promise.all([sets.version(), scanners.lease.poll()]);
    if (wasMember && !scanners.lease.isMember) this.#options.onLost?.();
    // What has to be stopped first may take longer than the lease, and heartbeats go on meanwhile.
    if (this.#stateOf(version) !== this.#matched) this.#matching ??= this.#matchOnce(version);
    this.#readable.check([...this.#running.keys()], this.#sets);
    for (const id of scanners.passedSets) this.#scanPassed(this.#running.get(id)?.set);
  }

  /** A root that does not answer is reported by its loop. */
  #scanPassed(set: ResourceSet | undefined): void {
    if (set === undefined) return;
    const report = (problems: readonly SourceProblem[]) => {
      for (const problem of problems) this.#options.onProblem?.(set, problem);
    };
    this.#app.scanners.scanPassed(set).then(report, () => {});
  }

  async #matchOnce(version: number): Promise<void> {
    try {
      if (!this.#app.scanners.lease.isMember) {
        await this.#stopAll();
        await this.#join();
      }
      await this.#match(version);
    } catch {
      // The next check tries again.
    } finally {
      this.#matching = undefined;
    }
  }

  async #join(): Promise<void> {
    const { wants } = this.#options;
    await this.#app.scanners.lease.join(wants === undefined ? {} : { wants });
  }

  #stateOf(version: number): string {
    const { isMember, isSettled, state } = this.#app.scanners.lease;
    return `${version} ${isMember} ${state.epoch} ${isSettled}`;
  }

  /** Stops what is not to be scanned here, says so, and begins what is, when all others have said so, too. */
  async #match(version: number): Promise<void> {
    const { lease } = this.#app.scanners;
    const { epoch } = lease.state;
    this.#sets = (await this.#app.sets.list()).filter(({ origin }) => traitsOf(origin).source !== undefined);
    const own = this.#sets.filter(({ id }) => lease.owns(id));
    await this.#stopOthers(own);
    await lease.acknowledge(epoch);
    if (lease.state.epoch !== epoch || !lease.isMember || this.#stopping.signal.aborted) return;
    if (lease.isSettled) for (const set of own) this.#begin(set);
    this.#reportShare();
    this.#matched = this.#stateOf(version);
  }

  #reportShare(): void {
    const share = `${this.#running.size} of ${this.#sets.length}`;
    if (share !== this.#share) this.#options.onShare?.(share);
    this.#share = share;
  }

  async #stopOthers(own: readonly ResourceSet[]): Promise<void> {
    const current = new Map(own.map((set) => [set.id, set]));
    const stopping: Promise<void>[] = [];
    for (const [id, loop] of this.#running) {
      const now = current.get(id);
      if (now !== undefined && loop.follow(now)) continue;
      this.#running.delete(id);
      stopping.push(loop.stop());
    }
    await Promise.all(stopping);
    await this.#closeRemoved();
  }

  #begin(set: ResourceSet): void {
    if (this.#running.has(set.id)) return;
    const loop = new SetLoop(this.#app, set, this.#readable.around(set, this.#options.eventsOf(set)));
    this.#running.set(set.id, loop);
    loop.start();
  }

  async #closeRemoved(): Promise<void> {
    const existing = new Set(this.#sets.map(({ id }) => id));
    const removed = [...this.#known].filter((id) => !existing.has(id));
    this.#known = existing;
    for (const id of removed) this.#app.sources.closeRootOf(id);
    if (removed.length > 0) await this.#app.sources.removeCopies();
  }

  async #stopAll(): Promise<void> {
    const loops = [...this.#running.values()];
    this.#running.clear();
    this.#matched = '';
    await Promise.all(loops.map((loop) => loop.stop()));
  }
}
