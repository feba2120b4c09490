import type { ReplayedChange } from '../core/change.ts';
import type { Stamp } from '../core/stamp.ts';
import type { CommitResult } from './commit-result.ts';

/**
 * What operators do with a log and its store. Held to these promises by test/contract/resource-log.ts.
 */
export interface LogMaintenance {
  /**
   * Commits changes with the stamps and windows that they had. Replaying them again changes nothing.
   * @throws as `ChangeLog.commit`
   */
  replay(changes: readonly ReplayedChange[]): Promise<readonly CommitResult[]>;

  /**
   * Drops what the store keeps of the commits below a boundary beside changes and states, which stay: every answer is
   * as it was. Commits that a process may still read stay. Where the log is the history itself, there is nothing to
   * drop.
   * @returns how many it dropped, and how many there are now without their changes
   */
  dropCommits(below: Stamp, options?: DropOptions): Promise<DroppedCommits>;

  /**
   * Checks the structure of the whole store, of every set, and returns what is damaged in it, one line each; at most
   * some hundred. A store that verifies its files by itself returns nothing.
   * @throws TidemarkError `unavailable` when the damage does not let it go on
   */
  findDamage(): Promise<readonly string[]>;
}

export interface DropOptions {
  /** Only commits that are older than so many milliseconds. */
  readonly olderThan?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  onProgress?(done: number, total: number): void;
}

export interface DroppedCommits {
  readonly dropped: number;
  readonly total: number;
}
