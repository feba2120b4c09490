import type { RootProblem } from '../content-root.ts';
import { type ClockGaps, RelistSchedule } from './relist-schedule.ts';
import { RootIdentity } from './root-identity.ts';
import type { WalkedFolder } from './walk.ts';
import { WatchTree } from './watch-tree.ts';

export interface WatchedFolder extends WalkedFolder {
  /** Milliseconds after which everything is listed again, whatever was reported. */
  readonly scanIntervalMs: number;
}

interface RootListener {
  /** Called for each event of the system. */
  event(): void;
  changed(path: string): void;
  problem(problem: RootProblem): void;
}

/** A root that the thread of watch.worker.ts watches. */
export class WatchedRoot {
  readonly #identity: RootIdentity;
  readonly #tree: WatchTree;
  readonly #schedule: RelistSchedule;
  readonly #listener: RootListener;

  /** @throws TidemarkError `unavailable` when the root does not exist or cannot be watched */
  constructor({ root, patterns, scanIntervalMs }: WatchedFolder, gaps: ClockGaps, listener: RootListener) {
    this.#listener = listener;
    this.#identity = new RootIdentity(root);
    this.#tree = new WatchTree(root, patterns, {
      event: () => listener.event(),
      changed: (path) => listener.changed(path),
      problem: (path, problem) => listener.problem({ path, problem }),
    });
    this.#schedule = new RelistSchedule(scanIntervalMs, gaps);
  }

  /**
   * Checks whether the root is still the same folder: no event reports that a folder above it is moved. Returns false
   * when it is not, after reporting that: nothing more is reported.
   */
  check(): boolean {
    try {
      this.#identity.check();
      if (this.#schedule.isDue()) this.#tree.startAnew();
      else this.#tree.checkExclusions();
      return true;
    } catch (error) {
      this.close();
      this.#listener.problem({ path: '', problem: error instanceof Error ? error.message : String(error) });
      return false;
    }
  }

  startAnew(): void {
    this.#tree.startAnew();
  }

  close(): void {
    this.#tree.close();
  }
}
