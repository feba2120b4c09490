import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { TidemarkError } from '../../../core/errors.ts';
import { sqliteFault } from '../../../lib/sqlite-fault.ts';
import { reasonOf } from '../../../lib/system-error.ts';

type Value = string | number | null;
type Row = readonly unknown[];

/**
 * The SQLite file of the state of a copy. The first change begins a transaction, which `commit` ends. After a change or
 * a commit has failed, nothing can be changed before `recover`.
 */
export class StateDatabase {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #isChanged = false;
  #failure: TidemarkError | undefined;

  /**
   * @param schema the tables, which are made unless they exist
   * @throws TidemarkError `unavailable`; `not-found` when it is only to be read, and does not exist
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
      const message = `the state of the copy cannot be opened: ${reasonOf(error)}`;
      throw new TidemarkError('unavailable', message, { file }, error);
    }
  }

  /** The first row, as an array. */
  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as unknown as Row | undefined;
  }

  all(sql: string, ...values: Value[]): readonly Row[] {
    return this.#statement(sql).all(...values) as unknown as readonly Row[];
  }

  /** Returns the id of the last row that was inserted. @throws TidemarkError `unavailable` */
  run(sql: string, ...values: Value[]): number {
    return this.#write(() => {
      if (!this.#isChanged) this.#database.exec('BEGIN IMMEDIATE');
      this.#isChanged = true;
      return Number(this.#statement(sql).run(...values).lastInsertRowid);
    });
  }

  /** Several statements at once, outside of a transaction or in one. @throws TidemarkError `unavailable` */
  exec(sql: string): void {
    this.#write(() => this.#database.exec(sql));
  }

  /** A function of a text, for statements. */
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

  /** Forgets what was not committed. Returns false when nothing had failed. */
  recover(): boolean {
    if (this.#failure === undefined) return false;
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.#isChanged = false;
    this.#failure = undefined;
    return true;
  }

  /** What was not committed is lost. */
  close(): void {
    this.#database.close();
  }

  #write<Result>(work: () => Result): Result {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return work();
    } catch (error) {
      const fault = sqliteFault(error);
      if (fault === undefined) throw error;
      this.#failure = new TidemarkError('unavailable', `the state of the copy ${fault}`, { file: this.#file }, error);
      throw this.#failure;
    }
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
