import type { Change, ChangeKind } from '../core/change.ts';
import type { ResourceKey } from '../core/key.ts';
import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { TimeUnit } from '../core/time-unit.ts';

/**
 * Counts and lists from the log, for people and documents. test/contract/set-statistics.ts tests these promises. Every
 * method throws `not-found` for a set that is not in the catalog or was removed; for an empty set, results are empty. A
 * temporary fault is `unavailable`, and then nothing was acknowledged.
 */
export interface SetStatistics {
  summary(set: SetId): Promise<SetSummary>;

  /** Returns the summaries of several sets, in order; undefined for a set that is not in the catalog or was removed. */
  summaries(sets: readonly SetId[]): Promise<readonly (SetSummary | undefined)[]>;

  /**
   * Counts the changes of a set by kind for each hour or day (UTC) between two boundaries, ascending; those without a
   * change are left out. The duration is proportional to the number of changes: up to a second for some million.
   */
  activity(set: SetId, range: ActivityRange): Promise<readonly ChangeCounts[]>;

  /**
   * The newest changes of a set, newest first: at most `limit` (up to 10,000) of those strictly between two boundaries.
   * Old ranges are as fast as new ones.
   */
  latest(set: SetId, range: LatestRange): Promise<readonly Change[]>;

  /**
   * The changes of one resource, newest first: at most `limit` (up to 1,000) of those below a boundary. A boundary
   * beside one of its changes is found at once. Empty for a key that never existed.
   */
  history(set: SetId, key: ResourceKey, range: HistoryRange): Promise<readonly Change[]>;

  /** The set's windows with changes after `after`, in order. */
  windows(set: SetId, after: Stamp): Promise<readonly Window[]>;
}

export interface HistoryRange {
  /** A boundary; undefined begins with the newest change. */
  readonly before?: Stamp | undefined;
  readonly limit: number;
}

export interface LatestRange extends HistoryRange {
  /** A boundary. */
  readonly after?: Stamp | undefined;
}

export interface ActivityRange {
  readonly after: Stamp;
  readonly until: Stamp;
  readonly unit: TimeUnit;
}

/** The number of changes by kind in an hour or a day. */
export interface ChangeCounts extends Readonly<Record<ChangeKind, number>> {
  /** The beginning of the hour or day, in microseconds since 1970. */
  readonly start: number;
}

/** A Change List document: a contiguous range of a set's changes. It is closed when the next one has begun. */
export interface Window {
  readonly number: number;
  /**
   * The boundary below its first change. For the first window of an epoch, the publisher uses the start of the
   * epoch.
   */
  readonly from: Stamp;
  /** Number of changes. */
  readonly changes: number;
}

export interface SetSummary {
  readonly resources: number;
  /** Number of all changes of the set, of every epoch. */
  readonly changes: number;
  /** The stamp of the last change; 0 without changes. */
  readonly lastChange: Stamp;
}
