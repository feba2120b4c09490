import type { Change, ChangeKind } from '../core/change.ts';
import type { ResourceKey } from '../core/key.ts';
import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { TimeUnit } from '../core/time-unit.ts';

/**
 * What the log counts and lists for people and documents. Held to these promises by
 * test/contract/set-statistics.ts.
 * Every method throws `not-found` for a set that the catalog does not hold or that was removed; an empty set is an
 * empty answer. A fault that may pass is `unavailable`, and then nothing was acknowledged.
 */
export interface SetStatistics {
  summary(set: SetId): Promise<SetSummary>;

  /** Of many sets at once, in order; undefined for one that the catalog does not hold or that was removed. */
  summaries(sets: readonly SetId[]): Promise<readonly (SetSummary | undefined)[]>;

  /**
   * How many changes of each kind a set had in each hour or day (UTC) between two boundaries, ascending; those without
   * a change are left out. Takes as long as counting them takes, up to a second for some million.
   */
  activity(set: SetId, range: ActivityRange): Promise<readonly ChangeCounts[]>;

  /**
   * The newest changes of a set, newest first: at most `limit` (up to 10,000) of those strictly between two boundaries.
   * Takes as long for the oldest.
   */
  latest(set: SetId, range: LatestRange): Promise<readonly Change[]>;

  /**
   * The changes of one resource, newest first: at most `limit` (up to 1,000) of those below a boundary. A boundary
   * beside one of its changes is found at once. Nothing for a key that never was.
   */
  history(set: SetId, key: ResourceKey, range: HistoryRange): Promise<readonly Change[]>;

  /** The set's windows in order, those that hold changes after `after`. */
  windows(set: SetId, after: Stamp): Promise<readonly Window[]>;
}

export interface HistoryRange {
  /** A boundary; the newest change without it. */
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

/** Changes by kind in an hour or a day. */
export interface ChangeCounts extends Readonly<Record<ChangeKind, number>> {
  /** Microseconds since 1970 at which it begins. */
  readonly start: number;
}

/** A Change List document: a contiguous range of a set's changes. It is closed when the next one has begun. */
export interface Window {
  readonly number: number;
  /** The boundary below its first change; for the first window of an epoch the publisher takes the epoch's start. */
  readonly from: Stamp;
  /** How many changes it holds. */
  readonly changes: number;
}

export interface SetSummary {
  readonly resources: number;
  /** All changes of the set's log, of every epoch. */
  readonly changes: number;
  /** The stamp of the last change; 0 when there is none. */
  readonly lastChange: Stamp;
}
