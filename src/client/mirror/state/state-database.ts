import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { TidemarkError } from '../../../core/errors.ts';
import { sqliteFault } from '../../../lib/sqlite/sqlite-fault.ts';
import { reasonOf } from '../../../lib/system-error.ts';

const AGAIN = 'remove it and the files beside it that begin with its name, and mirror again with --adopt';
const HINTS = { damaged: AGAIN, noDatabase: AGAIN };

type Value = string | number | null;
type Row = readonly unknown[];

/**
 * The SQLite file with the state of a copy. The first change begins a transaction, which `commit` ends. After a change
 * or a commit has failed, nothing can be changed before `recover`.
 */
export class StateDatabase {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #isChanged = false;
  #failure: TidemarkError | undefined;

  /**
   * @param schema the statements that create the tables, unless they exist
   * @throws TidemarkError `unavailable`; `not-found` when it is opened read-only and does not exist
   */
  constructor(file: string, { schema, readOnly }: { readonly schema: string; readonly readOnly: boolean }) {
    this.#file = file;
    if (readOnly && !existsSync(file)) throw new TidemarkError('not-found', `${file} does not exist`);
    try {
      this.#database = new DatabaseSync(file, { readOnly, timeout: 5_000 });
      if (readOnly) return;
      this.#database.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768; ${schema}`,
      );
    } catch (error) {
      throw this.#fault(error) ?? this.#unavailable(`cannot be opened: ${reasonOf(error)}`, error);
    }
  }

  /**
   * Returns the first row, as an array.
   * @throws TidemarkError `unavailable`
   */
  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#read(() => this.#statement(sql).get(...values) as unknown as Row | undefined);
  }

  /** @throws TidemarkError `unavailable` */
  all(sql: string, ...values: Value[]): readonly Row[] {
    return this.#read(() => this.#statement(sql).all(...values) as unknown as readonly Row[]);
  }

  /**
   * Runs a statement that changes rows. Returns the id of the last inserted row.
   * @throws TidemarkError `unavailable`
   */
  run(sql: string, ...values: Value[]): number {
    return this.#write(() => {
      if (!this.#isChanged) this.#database.exec('BEGIN IMMEDIATE');
      this.#isChanged = true;
      return Number(this.#statement(sql).run(...values).lastInsertRowid);
    });
  }

  /**
   * Runs several statements, inside or outside of a transaction.
   * @throws TidemarkError `unavailable`
   */
  exec(sql: string): void {
    this.#write(() => this.#database.exec(sql));
  }

  /** Defines an SQL function of one text. */
  define(name: string, ofText: (text: string) => string): void {
    this.#database.function(name, { deterministic: true }, (value) => ofText(String(value)));
  }

  /** @throws TidemarkError `unavailable`, such as on a full disk */
  commit(): void {
    this.#write(() => {
      if (this.#isChanged) this.#database.exec('COMMIT');
      this.#isChanged = false;
    });
  }

  /** Rolls back changes that were not committed. Returns false when nothing had failed. */
  recover(): boolean {
    if (this.#failure === undefined) return false;
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.#isChanged = false;
    this.#failure = undefined;
    return true;
  }

  /** Changes that were not committed are lost. */
  close(): void {
    this.#database.close();
  }

  #write<Result>(work: () => Result): Result {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return work();
    } catch (error) {
      this.#failure = this.#fault(error);
      throw this.#failure ?? error;
    }
  }

  #read<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw this.#fault(error) ?? error;
    }
  }

  #fault(error: unknown): TidemarkError | undefined {
    const fault = sqliteFault(error, HINTS);
    return fault === undefined ? undefined : this.#unavailable(fault, error);
  }

  #unavailable(problem: string, cause: unknown): TidemarkError {
    const file = this.#file;
    return new TidemarkError('unavailable', `the state of the copy, ${file}, ${problem}`, { file }, cause);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
