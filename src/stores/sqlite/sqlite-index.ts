import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Change, ChangeEvent, ReplayedChange } from '../../core/change.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { KeyRange, ResourceKey } from '../../core/key.ts';
import { parseKeySearch } from '../../core/key-search.ts';
import type { Resource, Tombstone } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { LogEntry, RaisedKey, SourcePosition, StampRange } from '../change-log.ts';
import type { CommitResult } from '../commit-result.ts';
import type { DroppedCommits } from '../log-maintenance.ts';
import type { ResourceIndex } from '../resource-index.ts';
import type { EncodedResource, FoundResources, Limits, Search, Survey } from '../resource-states.ts';
import type { ActivityRange, ChangeCounts, HistoryRange, LatestRange, SetSummary, Window } from '../set-statistics.ts';
import { PieceCutter } from '../survey.ts';
import { ask, snapshot } from './connection.ts';
import { Queries, toChange, toLogEntry, toResource } from './queries.ts';
import type { ReadBatch } from './read-batch.ts';
import type { Reader } from './reader.ts';
import { toColumns, toResults } from './wire.ts';
import type { Writer } from './writer.ts';

/**
 * Rows that one statement reads: less than a millisecond, and so few that what is made of them never leaves the young
 * generation.
 */
const BATCH = 250;
/** Reading so many at once is a third faster than one by one. */
const SURVEY_BATCH = 2000;
/** Above every key: keys are ASCII. */
const NO_END = '\u{10ffff}';
/** Between a key and all that is longer, and after all of that. */
const ABOVE = '\u0001';
const END = '\u007f';
const NO_UNTIL = Number.MAX_SAFE_INTEGER;

interface BatchedRange {
  readonly set: SetId;
  readonly range: KeyRange;
  readonly batch: number;
}

interface Parts {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly writer: Writer;
  readonly reader: Reader;
  readonly reads: ReadBatch;
}

/**
 * Reads on the connection of its own thread; writes go to the writer thread, and what reads many rows to the reader
 * thread.
 */
export class SqliteIndex implements ResourceIndex {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #writer: Writer;
  readonly #reader: Reader;
  readonly #reads: ReadBatch;
  readonly #queries: Queries;

  constructor({ database, file, writer, reader, reads }: Parts) {
    this.#database = database;
    this.#file = file;
    this.#writer = writer;
    this.#reader = reader;
    this.#reads = reads;
    this.#queries = new Queries(database);
  }

  async commit(events: readonly (ChangeEvent | ReplayedChange)[]): Promise<readonly CommitResult[]> {
    if (events.length === 0) return [];
    const results = await this.#writer.commit(toColumns(events));
    failpoint('commit.acknowledged');
    return toResults(results, events);
  }

  replay(changes: readonly ReplayedChange[]): Promise<readonly CommitResult[]> {
    return this.commit(changes);
  }

  read(set: SetId, range: KeyRange & { tombstones?: false }): AsyncIterable<readonly Resource[]>;
  read(set: SetId, range: KeyRange & { tombstones: true }): AsyncIterable<readonly (Resource | Tombstone)[]>;
  async *read(
    set: SetId,
    range: KeyRange & { tombstones?: boolean },
  ): AsyncIterable<readonly (Resource | Tombstone)[]> {
    this.#requireSet(set);
    const query = range.tombstones ? this.#queries.states : this.#queries.resources;
    for await (const rows of this.#byKey(query, { set, range, batch: BATCH })) yield rows.map(toResource);
  }

  async *states(set: SetId): AsyncIterable<readonly EncodedResource[]> {
    this.#requireSet(set);
    yield* this.#reader.states(set);
  }

  async lookup(set: SetId, keys: readonly ResourceKey[]): Promise<readonly (Resource | Tombstone | undefined)[]> {
    return this.#reads.run(() => {
      this.#requireSet(set);
      return keys.map((key) => {
        const row = this.#queries.state.get(set, key);
        return row && toResource(row as unknown as unknown[]);
      });
    });
  }

  async *changes(set: SetId, { after, until = NO_UNTIL }: StampRange): AsyncIterable<readonly Change[]> {
    this.#requireSet(set);
    yield* this.#byStamp(after, (last) => this.#rows(this.#queries.changes, set, last, until, BATCH));
  }

  async *log({ after, until }: StampRange): AsyncIterable<readonly Change[]> {
    const end = Math.min(until ?? NO_UNTIL, await this.watermark());
    yield* this.#byStamp(after, (last) => this.#rows(this.#queries.log, last, end, BATCH));
  }

  async positions(): Promise<readonly SourcePosition[]> {
    const rows = this.#rows(this.#queries.positions) as [SetId, string, number][];
    return rows.map(([set, source, position]) => ({ set, source, position }));
  }

  async *raisedOrders({ after, until = NO_UNTIL }: StampRange): AsyncIterable<readonly RaisedKey[]> {
    for (let last = after; ; ) {
      const rows = this.#rows(this.#queries.raisedOrders, last, until, BATCH) as [SetId, string, number, Stamp][];
      if (rows.length > 0) yield rows.map(([set, key, order, stamp]) => ({ set, key, order, stamp }));
      if (rows.length < BATCH) return;
      last = rows.at(-1)![3];
      await setImmediate();
    }
  }

  /** The log is the history itself. */
  async dropCommits(): Promise<DroppedCommits> {
    return { dropped: 0, total: 0 };
  }

  async find(set: SetId, { part, after, limit }: Search): Promise<FoundResources> {
    this.#requireSet(set);
    const search = parseKeySearch(part);
    if (search.where === 'anywhere') return this.#reader.find({ set, texts: search.texts, after, limit });
    // One row above the limit shows that there are more.
    const found: Resource[] = [];
    for (const beginning of search.beginnings) {
      const from = after === undefined || after < beginning ? beginning : after + ABOVE;
      const range = { from, to: beginning + END };
      for await (const rows of this.#byKey(this.#queries.resources, { set, range, batch: BATCH })) {
        found.push(...(rows.map(toResource) as Resource[]));
        if (found.length > limit) return { resources: found.slice(0, limit), next: found[limit - 1]!.key };
      }
    }
    return { resources: found, next: undefined };
  }

  async latest(set: SetId, { after = 0, before = NO_UNTIL, limit }: LatestRange): Promise<readonly Change[]> {
    this.#requireSet(set);
    const changes: Change[] = [];
    for (let until = before; changes.length < limit; until = changes.at(-1)!.stamp) {
      const wanted = Math.min(BATCH, limit - changes.length);
      const rows = this.#rows(this.#queries.latest, set, after, until, wanted);
      changes.push(...rows.map(toChange));
      if (rows.length < wanted) break;
      await setImmediate();
    }
    return changes;
  }

  async history(set: SetId, key: ResourceKey, { before = NO_UNTIL, limit }: HistoryRange): Promise<readonly Change[]> {
    this.#requireSet(set);
    const changes: Change[] = [];
    let stamp = this.#lastChange(set, key, before);
    for (let read = 1; stamp > 0 && changes.length < limit; read++) {
      const [row = []] = this.#rows(this.#queries.change, stamp);
      if (stamp < before) changes.push(toChange(row));
      stamp = row.at(-1) as Stamp;
      if (read % BATCH === 0) await setImmediate();
    }
    return changes;
  }

  async activity(set: SetId, range: ActivityRange): Promise<readonly ChangeCounts[]> {
    this.#requireSet(set);
    return this.#reader.count({ set, ...range });
  }

  async newest(set: SetId, until: Stamp, limits: Limits): Promise<Stamp> {
    this.#requireSet(set);
    let oldest = until;
    let weight = 0;
    for (const [stamp, entry] of this.#rows(this.#queries.newest, set, until, limits.entries) as [Stamp, number][]) {
      weight += entry;
      if (weight > limits.weight) break;
      oldest = stamp - 1;
    }
    return oldest;
  }

  async windows(set: SetId, after: Stamp): Promise<readonly Window[]> {
    this.#requireSet(set);
    const rows = this.#rows(this.#queries.windows, set, after) as [number, Stamp, number][];
    return rows.map(([number, firstStamp, changes]) => ({ number, from: firstStamp - 1, changes }));
  }

  async tail(after: Stamp, limit: number): Promise<readonly LogEntry[]> {
    return this.#rows(this.#queries.tail, after, limit).map(toLogEntry);
  }

  async watermark(): Promise<Stamp> {
    const [last = 0] = await this.#reads.run(() => (this.#queries.lastStamp.get() ?? []) as unknown as [Stamp?]);
    return last + 1;
  }

  mark(): Promise<Stamp> {
    return this.#writer.mark();
  }

  async survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey> {
    this.#requireSet(set);
    const cutter = new PieceCutter(range.from, limits);
    // In one transaction, so that all reads see the same state.
    return ask(this.#file, () =>
      snapshot(this.#database, () => {
        const [last] = this.#queries.lastStamp.get() as unknown as [Stamp];
        for (const rows of this.#batches(this.#queries.survey, { set, range, batch: SURVEY_BATCH })) {
          for (const [key, stamp, weight, live] of rows as [string, Stamp, number, number][]) {
            cutter.add({ key, stamp, weight, live: live === 1 });
          }
        }
        return { through: last + 1, pieces: cutter.pieces() };
      }),
    );
  }

  async summary(set: SetId): Promise<SetSummary> {
    return this.#reads.run(() => {
      this.#requireSet(set);
      return this.#summary(set);
    });
  }

  async summaries(sets: readonly SetId[]): Promise<readonly (SetSummary | undefined)[]> {
    const summaries: (SetSummary | undefined)[] = [];
    for (const set of sets) {
      if (summaries.length % BATCH === BATCH - 1) await setImmediate();
      summaries.push(this.#hasSet(set) ? this.#summary(set) : undefined);
    }
    return summaries;
  }

  /**
   * The stamp of the last change of a key, or of the one below a boundary, when that lies beside a change of the key; 0
   * when there is none.
   */
  #lastChange(set: SetId, key: ResourceKey, before: Stamp): Stamp {
    const { change, lastChange } = this.#queries;
    const [beside] = this.#rows(change, before + 1);
    if (beside?.[0] === set && beside[1] === key) return beside.at(-1) as Stamp;
    const [[last] = [0]] = this.#rows(lastChange, set, key) as [Stamp][];
    return last;
  }

  #summary(set: SetId): SetSummary {
    const [[resources, changes, lastChange] = [0, 0, 0]] = this.#rows(this.#queries.summary, set) as [
      number,
      number,
      Stamp,
    ][];
    return { resources, changes, lastChange };
  }

  async *#byStamp(after: Stamp, read: (last: Stamp) => unknown[][]): AsyncIterable<readonly Change[]> {
    for (let last = after; ; ) {
      const changes = read(last).map(toChange);
      if (changes.length > 0) yield changes;
      if (changes.length < BATCH) return;
      last = changes.at(-1)!.stamp;
      await setImmediate();
    }
  }

  async *#byKey(query: Queries['states'], range: BatchedRange): AsyncIterable<readonly unknown[][]> {
    for (const rows of this.#batches(query, range)) {
      yield rows;
      await setImmediate();
    }
  }

  /**
   * Rows of a range of keys, whose first column is the key; the next batch begins above the last key of the one before.
   */
  *#batches({ first, next }: Queries['states'], { set, range, batch }: BatchedRange): Iterable<unknown[][]> {
    const to = range.to ?? NO_END;
    let rows = this.#rows(first, set, range.from ?? '', to, batch);
    while (rows.length > 0) {
      yield rows;
      if (rows.length < batch) return;
      rows = this.#rows(next, set, rows.at(-1)![0] as string, to, batch);
    }
  }

  #rows(statement: Queries['tail'], ...values: (number | string)[]): unknown[][] {
    return ask(this.#file, () => statement.all(...values)) as unknown as unknown[][];
  }

  #requireSet(set: SetId): void {
    if (!this.#hasSet(set)) throw new TidemarkError('not-found', `there is no set with the id ${set}`);
  }

  #hasSet(set: SetId): boolean {
    const found = ask(this.#file, () => this.#queries.set.get(set)) as unknown as [number] | undefined;
    return found !== undefined && found[0] !== 1;
  }
}
