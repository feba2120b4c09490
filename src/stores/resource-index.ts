import type { Change, ChangeEvent, ChangeKind } from '../core/change.ts';
import type { KeyRange, ResourceKey } from '../core/key.ts';
import type { EncodedState, Resource, Tombstone } from '../core/resource.ts';
import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { TimeUnit } from '../core/time-unit.ts';
import type { CommitResult } from './commit-result.ts';

/**
 * The log, the changes and the current state of every set. Held to these promises by test/contract/resource-index.ts.
 *
 * The log is append-only and has one total order over the whole store, also with several processes; the state is a fold of it.
 * Every method throws `not-found` for a set that the catalog does not hold or that was removed; an empty set is an empty answer.
 * A fault that may pass is `unavailable`, and then nothing was acknowledged.
 */
export interface ResourceIndex {
  /**
   * Decides each event against the state it meets, in order, and appends the resulting changes as one commit: all of them or
   * none, with strictly ascending stamps. When it resolves, the commit is durable and visible to every reader. Of concurrent
   * writers none decides against a state that has moved: a resource is never created twice in a row. Repeating a commit
   * changes nothing. An event of a lower `order` than its key has changes nothing; one of a higher order that is no news raises the order all the same.
   * An event for an unknown set, or with another `urlPrefix` than its set has, is rejected by itself; its neighbours are not.
   */
  commit(events: readonly ChangeEvent[]): Promise<readonly CommitResult[]>;

  /**
   * Live resources (with `tombstones`, those too) ascending by the bytes of their key, as batches. Memory does not grow with the range,
   * and no cursor stays open between batches: each batch is read when it is asked for.
   */
  read(set: SetId, range: KeyRange & { readonly tombstones?: false }): AsyncIterable<readonly Resource[]>;
  read(set: SetId, range: KeyRange & { readonly tombstones: true }): AsyncIterable<readonly (Resource | Tombstone)[]>;

  /** All live resources as `read` gives them, with their states as text: whoever compares a million of them decodes only those that differ. */
  states(set: SetId): AsyncIterable<readonly EncodedResource[]>;

  /** The states of these keys, in order; `undefined` for one that never was. */
  lookup(set: SetId, keys: readonly ResourceKey[]): Promise<readonly (Resource | Tombstone | undefined)[]>;

  /** A set's changes strictly between two boundaries, ascending by stamp, as batches; no cursor stays open between them. */
  changes(set: SetId, range: StampRange): AsyncIterable<readonly Change[]>;

  /**
   * The boundary below the newest changes of a set, up to `until`: as many as both limits permit. `until` itself when there are none.
   */
  newest(set: SetId, until: Stamp, limits: Limits): Promise<Stamp>;

  /**
   * Live resources whose key holds what a person typed (see `parseKeySearch`), ascending by the bytes of their key, above `after`, at most
   * `limit` (up to 1,000). A search for a beginning is a range, and quick. Any other one looks at one key after the other, and gives up after half a second or
   * so: then it tells how far it has looked, with what it found so far, which may be nothing.
   * @throws TidemarkError `unavailable` when too many are searching at once
   */
  find(set: SetId, search: Search): Promise<FoundResources>;

  /** The newest changes of a set, newest first: at most `limit` (up to 10,000) of those strictly between two boundaries. Takes as long for the oldest. */
  latest(set: SetId, range: LatestRange): Promise<readonly Change[]>;

  /**
   * The changes of one resource, newest first: at most `limit` (up to 1,000) of those below a boundary. A boundary beside one of its changes is found
   * at once. Nothing for a key that never was.
   */
  history(set: SetId, key: ResourceKey, range: HistoryRange): Promise<readonly Change[]>;

  /**
   * How many changes of each kind a set had in each hour or day (UTC) between two boundaries, ascending; those without a change are left out. Takes
   * as long as counting them takes, up to a second for some million.
   */
  activity(set: SetId, range: ActivityRange): Promise<readonly ChangeCounts[]>;

  /** The set's windows in order, those that hold changes after `after`. */
  windows(set: SetId, after: Stamp): Promise<readonly Window[]>;

  /** Up to `limit` changes of all sets after a stamp, ascending; none has a stamp above the watermark. */
  tail(after: Stamp, limit: number): Promise<readonly LogEntry[]>;

  /**
   * The changes of all sets strictly between two boundaries, also of those that were removed, ascending by stamp, as batches; none is above the
   * watermark of the moment at which it was asked for. What they are made of is enough to make the log again: see ChangeEvent.window.
   */
  log(range: StampRange): AsyncIterable<readonly Change[]>;

  /** How far each source has come in each set, at a moment before the answer, in no order. Also of sets that were removed. */
  positions(): Promise<readonly SourcePosition[]>;

  /**
   * The keys of all sets whose order rose without a change, strictly between two boundaries, ascending by stamp, as batches. Only what is so
   * now: of a key whose order rose again only the last rise, and none of a key that has changed since. The changes and these are enough to
   * give each key its order again.
   */
  raisedOrders(range: StampRange): AsyncIterable<readonly RaisedKey[]>;

  /**
   * Drops what the store keeps of the commits below a boundary beside changes and states, which stay: every answer is as it was. Commits that a
   * process may still read stay. Where the log is the history itself, there is nothing to drop.
   * @returns how many it dropped, and how many there are now without their changes
   */
  dropCommits(below: Stamp, options?: DropOptions): Promise<DroppedCommits>;

  /** A boundary: every change below it is committed, applied and visible to a search; every later one will be above it. */
  watermark(): Promise<Stamp>;

  /** Makes a boundary, above the clock and every change so far; every change that is not yet committed will be above it. */
  mark(): Promise<Stamp>;

  /**
   * Cuts a range of live keys into pieces that each keep to both limits, as even as can be; at least one piece, which may be empty. It
   * tells exactly of the changes below `through`. May hold its thread for as long as it reads.
   */
  survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey>;

  summary(set: SetId): Promise<SetSummary>;

  /** Of many sets at once, in order; undefined for one that the catalog does not hold or that was removed. */
  summaries(sets: readonly SetId[]): Promise<readonly (SetSummary | undefined)[]>;
}

export interface EncodedResource {
  readonly key: ResourceKey;
  readonly state: EncodedState;
}

/** Stamps above `after` and below `until`; both are boundaries, so neither is a change's. */
export interface StampRange {
  readonly after: Stamp;
  readonly until?: Stamp | undefined;
}

export interface RaisedKey {
  readonly set: SetId;
  readonly key: ResourceKey;
  readonly order: number;
  /** When it rose: between the stamps of changes. */
  readonly stamp: Stamp;
}

export interface SourcePosition {
  readonly set: SetId;
  readonly source: string;
  readonly position: number;
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

export interface Search {
  /** As it was typed: decoded. */
  readonly part: string;
  readonly after?: ResourceKey | undefined;
  readonly limit: number;
}

export interface FoundResources {
  readonly resources: readonly Resource[];
  /** The key up to which was looked, to go on from as `after`; undefined when that was all. */
  readonly next: ResourceKey | undefined;
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

export interface Limits {
  readonly entries: number;
  readonly weight: number;
}

/** A change without its state: what the publisher needs to know which documents are out of date. */
export interface LogEntry {
  readonly set: SetId;
  readonly key: ResourceKey;
  readonly kind: ChangeKind;
  readonly stamp: Stamp;
  readonly weight: number;
}

/** A Change List document: a contiguous range of a set's changes. It is closed when the next one has begun. */
export interface Window {
  readonly number: number;
  /** The boundary below its first change; for the first window of an epoch the publisher takes the epoch's start. */
  readonly from: Stamp;
  /** How many changes it holds. */
  readonly changes: number;
}

export interface Survey {
  /** A boundary. */
  readonly through: Stamp;
  readonly pieces: readonly Piece[];
}

export interface Piece {
  /** The first key of the piece; undefined for a piece that begins where its range has no lower bound. */
  readonly from: ResourceKey | undefined;
  /** The last key of the piece; undefined for an empty piece. */
  readonly last: ResourceKey | undefined;
  readonly entries: number;
  readonly weight: number;
  /** The newest stamp among its resources and tombstones; 0 when there is none. */
  readonly newest: Stamp;
}

export interface SetSummary {
  readonly resources: number;
  /** All changes of the set's log, of every epoch. */
  readonly changes: number;
  /** The stamp of the last change; 0 when there is none. */
  readonly lastChange: Stamp;
}
