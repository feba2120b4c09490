import type { Change, ChangeKind, PostableEvent } from '../core/change.ts';
import type { ResourceKey } from '../core/key.ts';
import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { CommitResult } from './commit-result.ts';
import type { Limits } from './resource-states.ts';

/**
 * The log of all changes of all sets. Held to these promises by change-log.ts, commits.ts
 * and resource-log.ts in test/contract/.
 *
 * The log is append-only and has one total order over the whole store, also with several processes.
 * Every method throws `not-found` for a set that the catalog does not hold or that was removed; an empty set is an
 * empty answer. A fault that may pass is `unavailable`, and then nothing was acknowledged.
 */
export interface ChangeLog {
  /**
   * Decides each event against the state it meets, in order, and appends the resulting changes as one commit: all of
   * them or none, with strictly ascending stamps. When it resolves, the commit is durable and visible to every reader.
   * Of concurrent writers none decides against a state that has moved: a resource is never created twice in a row.
   * Repeating a commit changes nothing. An event of a lower `order` than its key has changes nothing; one of a higher
   * order that is no news raises the order all the same. An event for an unknown set, or with another `urlPrefix` than
   * its set has, is rejected by itself; its neighbours are not.
   */
  commit(events: readonly PostableEvent[]): Promise<readonly CommitResult[]>;

  /**
   * A set's changes strictly between two boundaries, ascending by stamp, as batches; no cursor stays open between them.
   */
  changes(set: SetId, range: StampRange): AsyncIterable<readonly Change[]>;

  /**
   * The boundary below the newest changes of a set, up to `until`: as many as both limits permit. `until` itself when
   * there are none.
   */
  newest(set: SetId, until: Stamp, limits: Limits): Promise<Stamp>;

  /** Up to `limit` changes of all sets after a stamp, ascending; none has a stamp above the watermark. */
  tail(after: Stamp, limit: number): Promise<readonly LogEntry[]>;

  /**
   * The changes of all sets strictly between two boundaries, also of those that were removed, ascending by stamp, as
   * batches; none is above the watermark at the time of the call. They are enough to make the log again: see
   * `LogMaintenance.replay`.
   */
  log(range: StampRange): AsyncIterable<readonly Change[]>;

  /**
   * The last position of each source in each set, in no order, read some time before the answer. Also of sets that were
   * removed.
   */
  positions(): Promise<readonly SourcePosition[]>;

  /**
   * The keys of all sets whose order rose without a change, strictly between two boundaries, ascending by stamp, as
   * batches. Only what is so now: of a key whose order rose again only the last rise, and none of a key that has
   * changed since. The changes and these are enough to give each key its order again.
   */
  raisedOrders(range: StampRange): AsyncIterable<readonly RaisedKey[]>;

  /**
   * A boundary: every change below it is committed, applied and visible to a search; every later one will be above it.
   */
  watermark(): Promise<Stamp>;

  /**
   * Makes a boundary, above the clock and every change so far; every change that is not yet committed will be above it.
   */
  mark(): Promise<Stamp>;
}

/** Stamps above `after` and below `until`; both are boundaries, so neither is a change's. */
export interface StampRange {
  readonly after: Stamp;
  readonly until?: Stamp | undefined;
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
  /** When it rose: between the stamps of changes. */
  readonly stamp: Stamp;
}

/** A change without its state: what the publisher needs to know which documents are out of date. */
export interface LogEntry {
  readonly set: SetId;
  readonly key: ResourceKey;
  readonly kind: ChangeKind;
  readonly stamp: Stamp;
  readonly weight: number;
}
