import type { ReplayedChange } from '../core/change.ts';
import type { Stamp } from '../core/stamp.ts';
import type { CommitResult } from './commit-result.ts';

/** What operators do with a log and its store. test/contract/resource-log.ts tests these promises. */
export interface LogMaintenance {
  /**
   * Commits changes with their original stamps and windows. Replaying them again changes nothing.
   * @throws as `ChangeLog.commit`
   */
  replay(changes: readonly ReplayedChange[]): Promise<readonly CommitResult[]>;

  /**
   * Drops what the store has of the commits below a boundary in addition to changes and states. No result of a read
   * changes. Commits that a process may still read are kept. A store whose log is the history itself has nothing to
   * drop.
   * @returns the number of commits dropped now, and of all dropped commits
   */
  dropCommits(below: Stamp, options?: DropOptions): Promise<DroppedCommits>;

  /**
   * Checks the structure of the whole store, of every set, and returns damage, one line each; at most some hundred. A
   * store that verifies its files itself returns nothing.
   * @throws TidemarkError `unavailable` when damage makes further checks impossible
   */
  findDamage(): Promise<readonly string[]>;
}

export interface DropOptions {
  /** Only commits older than this number of milliseconds. */
  readonly olderThan?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  onProgress?(done: number, total: number): void;
}

export interface DroppedCommits {
  readonly dropped: number;
  readonly total: number;
  /** Number of segments of the log that were removed whole. */
  readonly removedSegments: number;
}
