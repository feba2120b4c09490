import { setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import type { RootWatch } from '../content-root.ts';
import { Keeper, type KeeperEvents } from './keeper.ts';
import { RootChanges } from './root-changes.ts';
import { type Scanned, scan } from './scan.ts';
import type { ScanProgress, ScanSummary } from './scan-summary.ts';

export interface RootKeeperOptions extends Scanned {
  readonly events?: KeeperEvents;
  /** Milliseconds between attempts while there is trouble. */
  readonly retryDelay?: number;
}

/**
 * Keeps a set in step with its root: watches, scans all, then scans what changes, one scan at a time. When the root or the store
 * fails, it deletes nothing, and begins again with a full scan once that is possible.
 */
export class RootKeeper extends Keeper {
  readonly #options: RootKeeperOptions;

  constructor(options: RootKeeperOptions) {
    super(options.events);
    this.#options = options;
  }

  protected async run(): Promise<void> {
    const { retryDelay = 1_000 } = this.#options;
    const signal = this.stopped;
    while (!signal.aborted) {
      try {
        await this.#requireFiles();
        await this.#keep();
      } catch (error) {
        if (signal.aborted) return;
        this.noteTrouble(error);
        await wait(retryDelay, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Watches and scans until it is stopped (then it returns) or something fails (then it throws). */
  async #keep(): Promise<void> {
    const changes = new RootChanges(this.stopped);
    try {
      // Watched first, so that no change falls between scan and watch.
      const watch = await this.#watch(changes);
      try {
        this.noteScanned(await this.#scanAll());
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
    return this.#options.root.watch(
      (path) => changes.add(path),
      (problem) => {
        if (problem.path === '') changes.fail(new TidemarkError('unavailable', problem.problem));
        else this.events.onProblem?.(problem);
      },
    );
  }

  async #scanAll(): Promise<ScanSummary> {
    const onProgress = (progress: ScanProgress) => this.events.onProgress?.(progress);
    const summary = await scan({ ...this.#options, onProgress, signal: this.stopped });
    this.events.onScanned?.(summary, 'full');
    return summary;
  }

  async #scanChanges(under: readonly string[]): Promise<void> {
    if (under.includes('')) await this.#requireFiles();
    const summary = await scan({ ...this.#options, under, signal: this.stopped });
    this.events.onScanned?.(summary, under.includes('') ? 'full' : 'changes');
  }

  /** An empty root that had files is most likely the place where a disk is missing, not one that lost them all. */
  async #requireFiles(): Promise<void> {
    const { root, index, set } = this.#options;
    if (!(await root.isEmpty())) return;
    const { resources } = await index.summary(set.id);
    if (resources === 0) return;
    throw new TidemarkError(
      'unavailable',
      `the root ${traitsOf(set.origin).root} is empty, and ${resources} resources were in it: nothing is deleted; if that is meant, run "tidemark scan ${set.slug}"`,
    );
  }
}
