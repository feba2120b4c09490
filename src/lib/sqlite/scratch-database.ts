import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { TidemarkError } from '../../core/errors.ts';
import { makeFile, makeFolder } from '../files/make-folder.ts';
import { unlinked } from '../files/unlinked.ts';
import { reasonOf } from '../system-error.ts';
import { isDiskFull, sqliteFault } from './sqlite-fault.ts';

interface ScratchOptions {
  /** The folder for the file. It is created if it does not exist. */
  readonly folder: string;
  /** The statements that create the tables. */
  readonly schema: string;
  /** Bytes of pages in memory. A database that fits never reaches the disk. */
  readonly cacheBytes: number;
}

export type Row = readonly SQLOutputValue[];

/**
 * A temporary database for data that does not fit into memory. Its file is unlinked where the system permits that: it
 * is then deleted when it is closed, even if the process is killed. It has no journal and syncs nothing to disk: after
 * a failed statement, it can only be closed.
 */
export class ScratchDatabase {
  readonly #folder: string;
  readonly #path: string;
  readonly #database: DatabaseSync;
  #isNamed: boolean;

  /** @throws TidemarkError `unavailable` when the folder cannot be written */
  constructor({ folder, schema, cacheBytes }: ScratchOptions) {
    this.#folder = folder;
    this.#path = join(folder, `${randomUUID()}.scratch`);
    this.#database = this.#ask(() => {
      makeFolder(folder);
      makeFile(this.#path);
      // A defensive connection ignores `journal_mode = OFF`.
      return new DatabaseSync(this.#path, { defensive: false });
    });
    this.#isNamed = true;
    try {
      this.exec(`
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
        PRAGMA cache_size = -${Math.ceil(cacheBytes / 1024)};
        ${schema};
        BEGIN`);
    } catch (error) {
      this.close();
      throw error;
    }
    this.#isNamed = !unlinked(this.#path);
  }

  /** @throws TidemarkError `unavailable`, such as when the disk is full */
  exec(sql: string): void {
    this.#ask(() => this.#database.exec(sql));
  }

  prepare(sql: string): ScratchStatement {
    const statement = this.#database.prepare(sql);
    return new ScratchStatement(statement, (work) => this.#ask(work));
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
    if (this.#isNamed) unlinked(this.#path);
    this.#isNamed = false;
  }

  #ask<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw translated(error, basename(this.#folder));
    }
  }
}

/** A statement that returns rows as arrays, which node:sqlite creates twice as fast as objects. */
export class ScratchStatement {
  readonly #statement: StatementSync;
  readonly #ask: <Result>(work: () => Result) => Result;

  constructor(statement: StatementSync, ask: <Result>(work: () => Result) => Result) {
    statement.setReturnArrays(true);
    this.#statement = statement;
    this.#ask = ask;
  }

  /**
   * Returns the number of changed rows.
   * @throws TidemarkError `unavailable`, such as when the disk is full
   */
  run(...values: SQLInputValue[]): number {
    return this.#ask(() => Number(this.#statement.run(...values).changes));
  }

  /**
   * Returns the first row.
   * @throws TidemarkError `unavailable`
   */
  get(...values: SQLInputValue[]): Row | undefined {
    return this.#ask(() => this.#statement.get(...values)) as unknown as Row | undefined;
  }

  /** @throws TidemarkError `unavailable` */
  all(...values: SQLInputValue[]): readonly Row[] {
    return this.#ask(() => this.#statement.all(...values)) as unknown as readonly Row[];
  }

  /**
   * Yields rows as they are read. Their tables must not change before the last row was read.
   * @throws TidemarkError `unavailable`
   */
  *iterate(...values: SQLInputValue[]): Generator<Row> {
    const rows = this.#ask(() => this.#statement.iterate(...values)) as unknown as Iterator<Row>;
    try {
      for (;;) {
        const { done, value } = this.#ask(() => rows.next());
        if (done) return;
        yield value;
      }
    } finally {
      rows.return?.();
    }
  }
}

function translated(error: unknown, folder: string): unknown {
  if (error instanceof TidemarkError || !(error instanceof Error)) return error;
  const { errcode } = error as { errcode?: number };
  const fault = errcode === undefined ? `cannot be made: ${reasonOf(error)}` : sqliteFault(error);
  if (fault === undefined) return error;
  const details = isDiskFull(error) ? { fullFolder: folder } : {};
  return new TidemarkError('unavailable', `the temporary database in the folder "${folder}" ${fault}`, details, error);
}
