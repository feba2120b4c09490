import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { TidemarkError } from '../../core/errors.ts';
import type { KeyRange, ResourceKey } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import { ask } from './connection.ts';
import { type ByKey, prepareQueries, type Queries } from './queries.ts';
import type { ReadBatch } from './read-batch.ts';
import type { Reader } from './reader.ts';
import type { RowStatement } from './row-statement.ts';
import type { Writer } from './writer.ts';

/**
 * Rows of one statement: read in less than a millisecond, and so few that the resulting objects never leave the young
 * generation.
 */
export const BATCH = 250;
export const NO_UNTIL = Number.MAX_SAFE_INTEGER;
/** Sorts above every key: keys are ASCII. */
const NO_END = '\u{10ffff}';

interface BatchedRange {
  readonly set: SetId;
  readonly range: KeyRange;
  /** Number of rows of a batch. */
  readonly rows?: number;
}

interface Parts {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly writer: Writer;
  readonly reader: Reader;
  readonly reads: ReadBatch;
}

/**
 * What the ports of a store share: the connection of this thread, on which they read; the writer; and the reader
 * thread, for queries of many rows.
 */
export class ReadConnection {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly writer: Writer;
  readonly reader: Reader;
  readonly reads: ReadBatch;
  readonly queries: Queries;

  constructor({ database, file, writer, reader, reads }: Parts) {
    this.database = database;
    this.file = file;
    this.writer = writer;
    this.reader = reader;
    this.reads = reads;
    this.queries = prepareQueries(database);
  }

  rows<Row>(statement: RowStatement<Row>, ...values: SQLInputValue[]): Row[] {
    return ask(this.file, () => statement.all(...values));
  }

  /**
   * Yields rows above a stamp, ascending by stamp, in batches. The thread does its other work between them.
   * @param read reads at most `BATCH` rows above a stamp
   */
  async *byStamp<Row>(
    after: number,
    { read, stampOf }: { read(last: number): Row[]; stampOf(row: Row): number },
  ): AsyncIterable<readonly Row[]> {
    for (let last = after; ; ) {
      const rows = read(last);
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      last = stampOf(rows.at(-1)!);
      await setImmediate();
    }
  }

  /** Yields the rows of a range of keys, in batches. The thread does its other work between them. */
  async *byKey<Row extends readonly [ResourceKey, ...unknown[]]>(
    query: ByKey<Row>,
    range: BatchedRange,
  ): AsyncIterable<readonly Row[]> {
    for (const rows of this.batches(query, range)) {
      yield rows;
      await setImmediate();
    }
  }

  /**
   * Yields rows of a range of keys. Their first column is the key; the next batch begins above the last key of the
   * previous one.
   */
  *batches<Row extends readonly [ResourceKey, ...unknown[]]>(
    { first, next }: ByKey<Row>,
    { set, range, rows: most = BATCH }: BatchedRange,
  ): Iterable<readonly Row[]> {
    const to = range.to ?? NO_END;
    let rows = this.rows(first, set, range.from ?? '', to, most);
    while (rows.length > 0) {
      yield rows;
      if (rows.length < most) return;
      rows = this.rows(next, set, rows.at(-1)![0], to, most);
    }
  }

  /** @throws TidemarkError `not-found` */
  requireSet(set: SetId): void {
    if (!this.hasSet(set)) throw new TidemarkError('not-found', `there is no set with the id ${set}`);
  }

  /** Whether the set exists and was not removed. */
  hasSet(set: SetId): boolean {
    const found = ask(this.file, () => this.queries.set.get(set));
    return found !== undefined && found[0] !== 1;
  }
}
