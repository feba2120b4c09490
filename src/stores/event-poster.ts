import type { PostableEvent } from '../core/change.ts';
import type { CommitResult } from './commit-result.ts';

/** Commits change events. The updater implements it, and combines the events of all callers. */
export interface EventPoster {
  /**
   * Resolves when the events are committed, with a result for each, in order. All events of a call are in one
   * commit.
   */
  post(events: readonly PostableEvent[]): Promise<readonly CommitResult[]>;
}
