import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../core/errors.ts';
import { makeFile, makeFolder } from '../../lib/files/make-folder.ts';
import { sqliteFault } from '../../lib/sqlite/sqlite-fault.ts';
import { transaction } from '../../lib/sqlite/sqlite-transaction.ts';
import type { ResultRow } from './result-row.ts';
import { RefusedResult, type ResultSink, type SentResult, sendEach } from './result-sink.ts';
import { COLUMNS, CREATE_TABLE, OR_REPLACE, TABLE } from './rows-table.ts';

/** The primary result codes of values that a table refuses: SQLITE_TOOBIG, SQLITE_CONSTRAINT and SQLITE_MISMATCH. */
const REFUSED = [18, 19, 20];

const INSERT = `INSERT INTO ${TABLE} (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')}) ${OR_REPLACE}`;

/** Rows in a file of SQLite, which is made when it is missing. @throws TidemarkError `unavailable` */
export function openSqliteRows(file: string): ResultSink {
  const ask = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw translated(error, file);
    }
  };
  const database = ask(() => {
    makeFolder(dirname(file));
    // It has results of private sets, too.
    makeFile(file);
    const opened = new DatabaseSync(file);
    // Readers do not stop it from writing, and what it has written stays after a power failure.
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    return opened;
  });
  const write = async (results: readonly SentResult[]): Promise<void> =>
    ask(() => {
      const insert = database.prepare(INSERT);
      transaction(database, () => {
        for (const { row } of results) insert.run(...COLUMNS.map((column) => cellOf(row, column)));
      });
    });
  return {
    exists: async () =>
      ask(
        () =>
          database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(TABLE) !== undefined,
      ),
    create: async () => ask(() => database.exec(CREATE_TABLE)),
    send: (results) => sendEach(results, write),
    close: async () => database.close(),
  };
}

function cellOf(row: ResultRow, column: keyof ResultRow): string | number | null {
  const value = row[column];
  if (typeof value === 'boolean') return Number(value);
  return value === null || typeof value !== 'object' ? value : JSON.stringify(value);
}

function translated(error: unknown, file: string): unknown {
  const { errcode, message } = error as { readonly errcode?: number; readonly message: string };
  if (errcode !== undefined && REFUSED.includes(errcode & 0xff)) return new RefusedResult(message, { cause: error });
  const fault = sqliteFault(error) ?? `cannot be used: ${message}`;
  return new TidemarkError('unavailable', `the database of rows ${file} ${fault}`, { sink: 'rows' }, error);
}
