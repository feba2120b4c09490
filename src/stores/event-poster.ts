import type { PostableEvent } from '../core/change.ts';
import type { CommitResult } from './commit-result.ts';

/** Commits change events; see the updater, which gathers those of all callers. */
export interface EventPoster {
  /** Resolves when the events are committed, with a result for each, in order. Events of one call are in one commit. */
  post(events: readonly PostableEvent[]): Promise<readonly CommitResult[]>;
}
