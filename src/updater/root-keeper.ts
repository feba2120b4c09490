import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError, TidemarkError } from '../domain/errors.ts';
import type { RootProblem, RootWatch } from '../roots/content-root.ts';
import { RootChanges } from './root-changes.ts';
import { type Scanned, scan } from './scan.ts';
import type { ScanProgress, ScanSummary } from './scan-summary.ts';

/** What a keeper tells while it works. */
export interface RootEvents {
  /** Of a full scan; of the scan of single changes nothing is told before it is done. */
  onProgress?(progress: ScanProgress): void;
  onScanned?(summary: ScanSummary, extent: 'full' | 'changes'): void;
  /** A folder that cannot be watched. What could not be listed or read is in the summary. */
  onProblem?(problem: RootProblem): void;
  /** The root or the store does not answer, which is told once; the keeper goes on trying. */
  onTrouble?(error: TidemarkError): void;
  /** After trouble a full scan was complete. */
  onRecovered?(): void;
  /** Nothing more will be told. */
  onStopped?(): void;
}

export interface RootKeeperOptions extends Scanned {
  readonly events?: RootEvents;
  /** Milliseconds between attempts while there is trouble. */
  readonly retryDelay?: number;
}

/**
 * Keeps a set in step with its root: watches, scans all, then scans what changes, one scan at a time. When the root or the store
 * fails, it deletes nothing, and begins again with a full scan once that is possible.
 */
export class RootKeeper {
  /** Resolves when a full scan was complete for the first time; with undefined when the keeper was stopped before. */
  readonly firstScan: Promise<ScanSummary | undefined>;
  readonly #options: RootKeeperOptions;
  readonly #stopping = new AbortController();
  readonly #firstScan = Promise.withResolvers<ScanSummary | undefined>();
  #running: Promise<void> | undefined;

  constructor(options: RootKeeperOptions) {
    this.#options = options;
    this.firstScan = this.#firstScan.promise;
  }

  /** Begins, and returns at once. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when what was being posted is committed, and nothing is watched any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#firstScan.resolve(undefined);
    this.#options.events?.onStopped?.();
  }

  async #run(): Promise<void> {
    const { events, retryDelay = 1_000 } = this.#options;
    const { signal } = this.#stopping;
    let trouble: TidemarkError | undefined;
    const onScanned = () => {
      if (trouble !== undefined) events?.onRecovered?.();
      trouble = undefined;
    };
    while (!signal.aborted) {
      try {
        await this.#requireFiles();
        await this.#keep(onScanned);
      } catch (error) {
        if (signal.aborted) return;
        const next = troubleOf(error);
        if (next.message !== trouble?.message) events?.onTrouble?.(next);
        trouble = next;
        await wait(retryDelay, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Watches and scans until it is stopped (then it returns) or something fails (then it throws). */
  async #keep(onScanned: () => void): Promise<void> {
    const changes = new RootChanges(this.#stopping.signal);
    try {
      // Watched first, so that no change falls between scan and watch.
      const watch = await this.#watch(changes);
      try {
        this.#firstScan.resolve(await this.#scanAll());
        onScanned();
        for (let under = await changes.settled(); under !== undefined; under = await changes.settled()) {
          await this.#scanChanges(under);
        }
      } finally {
        await watch.close();
      }
    } finally {
      changes.close();
    }
  }

  #watch(changes: RootChanges): Promise<RootWatch> {
    const { root, events } = this.#options;
    return root.watch(
      (path) => changes.add(path),
      (problem) => {
        if (problem.path === '') changes.fail(new TidemarkError('unavailable', problem.problem));
        else events?.onProblem?.(problem);
      },
    );
  }

  async #scanAll(): Promise<ScanSummary> {
    const { events } = this.#options;
    const onProgress = (progress: ScanProgress) => events?.onProgress?.(progress);
    const summary = await scan({ ...this.#options, onProgress, signal: this.#stopping.signal });
    events?.onScanned?.(summary, 'full');
    return summary;
  }

  async #scanChanges(under: readonly string[]): Promise<void> {
    if (under.includes('')) await this.#requireFiles();
    const summary = await scan({ ...this.#options, under, signal: this.#stopping.signal });
    this.#options.events?.onScanned?.(summary, under.includes('') ? 'full' : 'changes');
  }

  /** An empty root that had files is most likely the place where a disk is missing, not one that lost them all. */
  async #requireFiles(): Promise<void> {
    const { root, index, set } = this.#options;
    if (!(await root.isEmpty())) return;
    const { resources } = await index.summary(set.id);
    if (resources === 0) return;
    throw new TidemarkError(
      'unavailable',
      `the root ${set.root} is empty, and ${resources} resources were in it: nothing is deleted; if that is meant, run "tidemark scan ${set.slug}"`,
    );
  }
}

function troubleOf(error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new TidemarkError('unavailable', `keeping the set in step failed: ${message}`, {}, error);
}
