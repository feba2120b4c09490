import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { SourceProblem, SourceWatch } from '../source.ts';
import { SyncCounter, type SyncProgress, type SyncSummary } from '../sync-counter.ts';
import { SourceChanges } from './source-changes.ts';
import { type Synced, sync } from './sync.ts';

/** Events that a loop reports while it runs. */
export interface SyncEvents {
  /** Progress of a full sync. A sync of single changes reports only its end. */
  onProgress?(progress: SyncProgress): void;
  /** @param under the paths that were synced; undefined for a full sync */
  onScanned?(summary: SyncSummary, extent: 'full' | 'changes', under: readonly string[] | undefined): void;
  /** A full sync was complete, perhaps without anything to compare: the set is in sync. */
  onSynced?(): void;
  /** A folder cannot be watched. Problems of listing or reading are in the summary. */
  onProblem?(problem: SourceProblem): void;
  /** The source or the store does not answer. Called once for each error; the loop keeps trying. */
  onTrouble?(error: TidemarkError): void;
  /** The first full sync after trouble was complete. */
  onRecovered?(): void;
  /** Nothing more will be reported. */
  onStopped?(): void;
}

export interface SyncLoopOptions extends Synced {
  readonly events?: SyncEvents;
  /**
   * Milliseconds before the first attempt after trouble. Doubles for each further attempt, up to
   * `Source.longestRetryMs`.
   */
  readonly retryDelayMs?: number;
}

/**
 * Keeps a set in sync with its source until it is stopped: watches it, syncs everything, then syncs each change, one
 * sync at a time. When the source or the store fails, it deletes nothing, and starts again with a full sync.
 */
export class SyncLoop {
  /** Resolves when the first full sync was complete; with undefined when the loop was stopped before. */
  readonly firstSync: Promise<SyncSummary | undefined>;
  readonly #options: SyncLoopOptions;
  readonly #events: SyncEvents;
  readonly #stopping = new AbortController();
  readonly #firstSync = Promise.withResolvers<SyncSummary | undefined>();
  #running: Promise<void> | undefined;
  /** Changes since the last sync; undefined while the next sync is a full one anyway. */
  #changes: SourceChanges | undefined;
  #trouble: TidemarkError | undefined;
  #delayMs: number;

  constructor(options: SyncLoopOptions) {
    this.#options = options;
    this.#events = options.events ?? {};
    this.#delayMs = this.#firstDelayMs;
    this.firstSync = this.#firstSync.promise;
  }

  /** Starts the loop, and returns at once. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Requests another full sync. A loop that waits after trouble retries at once. */
  syncAll(): void {
    this.#changes?.add('');
  }

  /** Resolves when the changes being posted are committed, and nothing is watched any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#firstSync.resolve(undefined);
    this.#events.onStopped?.();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const changes = new SourceChanges(signal);
      this.#changes = changes;
      let watch: SourceWatch | undefined;
      try {
        // Watched first, so that no change between sync and watch is missed.
        watch = await this.#watch(changes);
        await this.#follow(changes);
      } catch (error) {
        if (!signal.aborted) await this.#waitAfter(error, changes);
      } finally {
        this.#changes = undefined;
        changes.close();
        // The next round watches anew.
        await watch?.close().catch(() => {});
      }
    }
  }

  /** Syncs until it is stopped (then it returns) or something fails (then it throws). */
  async #follow(changes: SourceChanges): Promise<void> {
    await this.#sync(['']);
    for (let under = await changes.settled(); under !== undefined; under = await changes.settled()) {
      await this.#sync(under);
    }
  }

  #watch(changes: SourceChanges): Promise<SourceWatch> {
    return this.#options.source.watch(
      (path) => changes.add(path),
      (problem) => {
        if (problem.path === '') changes.fail(new TidemarkError('unavailable', problem.problem));
        else this.#events.onProblem?.(problem);
      },
    );
  }

  async #sync(paths: readonly string[]): Promise<void> {
    const isFull = paths.includes('');
    const onProgress = (progress: SyncProgress) => this.#events.onProgress?.(progress);
    const extent = isFull ? { onProgress } : { under: paths };
    const summary = await sync({ ...this.#options, ...extent, signal: this.#stopping.signal });
    if (summary !== undefined)
      this.#events.onScanned?.(summary, isFull ? 'full' : 'changes', isFull ? undefined : paths);
    if (isFull) this.#noteSynced(summary ?? new SyncCounter().summary());
  }

  #noteSynced(summary: SyncSummary): void {
    this.#firstSync.resolve(summary);
    this.#events.onSynced?.();
    if (this.#trouble !== undefined) this.#events.onRecovered?.();
    this.#trouble = undefined;
    this.#delayMs = this.#firstDelayMs;
  }

  /** Reports an error, unless it was already reported, and waits. After the first delay, a change ends the wait. */
  async #waitAfter(error: unknown, changes: SourceChanges): Promise<void> {
    const { signal } = this.#stopping;
    const trouble = troubleOf(error);
    if (trouble.message !== this.#trouble?.message) this.#events.onTrouble?.(trouble);
    this.#trouble = trouble;
    await wait(this.#firstDelayMs, undefined, { signal }).catch(() => {});
    await changes.settledWithin(this.#delayMs - this.#firstDelayMs).catch(() => {});
    this.#delayMs = Math.max(this.#firstDelayMs, Math.min(this.#delayMs * 2, this.#options.source.longestRetryMs));
  }

  get #firstDelayMs(): number {
    return this.#options.retryDelayMs ?? 1_000;
  }
}

function troubleOf(error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new TidemarkError('unavailable', `keeping the set in sync failed: ${message}`, {}, error);
}
