import type { Change, PostableEvent, ReplayedChange } from '../../core/change.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { ChangeLog, LimitedStampRange, LogEntry, RaisedKey, SourcePosition, StampRange } from '../change-log.ts';
import type { CommitResult } from '../commit-result.ts';
import type { DroppedCommits, LogMaintenance } from '../log-maintenance.ts';
import type { Limits } from '../resource-states.ts';
import { type ChangeRow, toChange, toLogEntry } from './queries.ts';
import { BATCH, NO_UNTIL, type ReadConnection } from './read-connection.ts';
import { toColumns, toResults } from './wire.ts';

export class SqliteChangeLog implements ChangeLog, LogMaintenance {
  readonly #connection: ReadConnection;

  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  async commit(events: readonly (PostableEvent | ReplayedChange)[]): Promise<readonly CommitResult[]> {
    if (events.length === 0) return [];
    const results = await this.#connection.writer.commit(toColumns(events));
    failpoint('commit.acknowledged');
    return toResults(results, events);
  }

  replay(changes: readonly ReplayedChange[]): Promise<readonly CommitResult[]> {
    return this.commit(changes);
  }

  async *changes(
    set: SetId,
    { after, until, limit = Number.POSITIVE_INFINITY }: LimitedStampRange,
  ): AsyncIterable<readonly Change[]> {
    const { queries } = this.#connection;
    this.#connection.requireSet(set);
    const end = this.#notAbove(until);
    let left = limit;
    yield* this.#changes(after, (last) => {
      const rows = this.#connection.rows(queries.changes, set, last, end, Math.min(left, BATCH));
      left -= rows.length;
      return rows;
    });
  }

  async *log({ after, until }: StampRange): AsyncIterable<readonly Change[]> {
    const { queries } = this.#connection;
    const end = Math.min(until ?? NO_UNTIL, await this.watermark());
    yield* this.#changes(after, (last) => this.#connection.rows(queries.log, last, end, BATCH));
  }

  async positions(): Promise<readonly SourcePosition[]> {
    const rows = this.#connection.rows(this.#connection.queries.positions);
    return rows.map(([set, source, position]) => ({ set, source, position }));
  }

  async *raisedOrders({ after, until }: StampRange): AsyncIterable<readonly RaisedKey[]> {
    const { queries } = this.#connection;
    const end = this.#notAbove(until);
    const batches = this.#connection.byStamp(after, {
      read: (last) => this.#connection.rows(queries.raisedOrders, last, end, BATCH),
      stampOf: ([, , , stamp]) => stamp,
    });
    for await (const rows of batches) yield rows.map(([set, key, order, stamp]) => ({ set, key, order, stamp }));
  }

  /** The log is the history itself: there is nothing to drop. */
  async dropCommits(): Promise<DroppedCommits> {
    return { dropped: 0, total: 0, removedSegments: 0 };
  }

  findDamage(): Promise<readonly string[]> {
    return this.#connection.reader.findDamage();
  }

  async newest(set: SetId, until: Stamp, limits: Limits): Promise<Stamp> {
    this.#connection.requireSet(set);
    let oldest = until;
    let weight = 0;
    const rows = this.#connection.rows(this.#connection.queries.newest, set, until, limits.entries);
    for (const [stamp, entry] of rows) {
      weight += entry;
      if (weight > limits.weight) break;
      oldest = stamp - 1;
    }
    return oldest;
  }

  async tail(after: Stamp, limit: number): Promise<readonly LogEntry[]> {
    return this.#connection.rows(this.#connection.queries.tail, after, limit).map(toLogEntry);
  }

  async watermark(): Promise<Stamp> {
    const { reads, queries } = this.#connection;
    const [last] = (await reads.run(() => queries.lastStamp.get())) ?? [0];
    return last + 1;
  }

  committed(): Promise<Stamp> {
    return this.watermark();
  }

  mark(): Promise<Stamp> {
    return this.#connection.writer.mark();
  }

  /**
   * The lower one of a boundary and the watermark: without it, reading would go on for as long as others post. Reads
   * one row, without waiting for the batch of `watermark`.
   */
  #notAbove(until: Stamp = NO_UNTIL): Stamp {
    const [last] = this.#connection.rows(this.#connection.queries.lastStamp)[0] ?? [0];
    return Math.min(until, last + 1);
  }

  async *#changes(after: Stamp, read: (last: Stamp) => ChangeRow[]): AsyncIterable<readonly Change[]> {
    const batches = this.#connection.byStamp(after, { read, stampOf: ([, , , stamp]) => stamp });
    for await (const rows of batches) yield rows.map(toChange);
  }
}
