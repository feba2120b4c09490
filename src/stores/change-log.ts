import type { Change, ChangeKind, PostableEvent } from '../core/change.ts';
import type { ResourceKey } from '../core/key.ts';
import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { CommitResult } from './commit-result.ts';
import type { Limits } from './resource-states.ts';

/**
 * The log of all changes of all sets. change-log.ts, commits.ts and resource-log.ts in test/contract/ test these
 * promises.
 *
 * The log is append-only, with one total order over the whole store, even with several processes. Every method throws
 * `not-found` for a set that is not in the catalog or was removed; for an empty set, results are empty. A temporary
 * fault is `unavailable`, and then nothing was acknowledged.
 */
export interface ChangeLog {
  /**
   * Decides each event against the current state of its key, in order, and appends the resulting changes as one commit:
   * all of them or none, with strictly ascending stamps. When it resolves, the commit is durable and visible to every
   * reader. No concurrent writer decides against an outdated state: a resource is never created twice in a row.
   * Repeating a commit changes nothing. An event with a lower `order` than its key changes nothing; one with a higher
   * order raises it even if the state is the same. An event for an unknown set, or with another `urlPrefix` than its
   * set, is rejected; other events are not affected.
   */
  commit(events: readonly PostableEvent[]): Promise<readonly CommitResult[]>;

  /**
   * Yields a set's changes strictly between two boundaries, ascending by stamp, in batches; at most `limit` changes,
   * the first ones. None is above the watermark at the time of the call. No cursor stays open between batches.
   */
  changes(set: SetId, range: LimitedStampRange): AsyncIterable<readonly Change[]>;

  /**
   * The boundary below the newest changes of a set before `until`: as many as both limits allow. Returns `until` itself
   * if there are no changes.
   */
  newest(set: SetId, until: Stamp, limits: Limits): Promise<Stamp>;

  /** Returns up to `limit` changes of all sets after a stamp, ascending. None has a stamp above the watermark. */
  tail(after: Stamp, limit: number): Promise<readonly LogEntry[]>;

  /**
   * Yields the changes of all sets, including removed ones, strictly between two boundaries, ascending by stamp, in
   * batches. None is above the watermark at the time of the call. They suffice to rebuild the log: see
   * `LogMaintenance.replay`.
   */
  log(range: StampRange): AsyncIterable<readonly Change[]>;

  /**
   * The last position of each source in each set, unordered, including removed sets. They may be from some time before
   * the call returned.
   */
  positions(): Promise<readonly SourcePosition[]>;

  /**
   * Yields the keys of all sets whose order rose without a change, strictly between two boundaries, ascending by stamp,
   * in batches. None rose above the watermark at the time of the call. Only the current state is returned: if an order
   * rose several times, the last time; nothing for a key that has changed since. Together with the changes, they
   * suffice to restore the order of each key.
   */
  raisedOrders(range: StampRange): AsyncIterable<readonly RaisedKey[]>;

  /**
   * Returns a boundary: every change below it is committed, applied and visible to searches; every later change will be
   * above it.
   */
  watermark(): Promise<Stamp>;

  /**
   * As `watermark`, without waiting until every change below it is applied and visible: for a boundary that is
   * recorded. Reads that begin later wait for that themselves.
   */
  committed(): Promise<Stamp>;

  /**
   * Creates a boundary above the clock and every change so far. Every change that is not yet committed will be above
   * it.
   */
  mark(): Promise<Stamp>;
}

/** Stamps above `after` and below `until`. Both are boundaries, so neither is the stamp of a change. */
export interface StampRange {
  readonly after: Stamp;
  readonly until?: Stamp | undefined;
}

export interface LimitedStampRange extends StampRange {
  /** For a caller that needs no more: no more are read. */
  readonly limit?: number | undefined;
}

export interface SourcePosition {
  readonly set: SetId;
  readonly source: string;
  readonly position: number;
}

export interface RaisedKey {
  readonly set: SetId;
  readonly key: ResourceKey;
  readonly order: number;
  /** When the order rose: a stamp between those of changes. */
  readonly stamp: Stamp;
}

/** A change without its state: what the publisher needs to find outdated documents. */
export interface LogEntry {
  readonly set: SetId;
  readonly key: ResourceKey;
  readonly kind: ChangeKind;
  readonly stamp: Stamp;
  readonly weight: number;
}
