import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../core/errors.ts';
import { makeFile, makeFolder } from '../../lib/files/make-folder.ts';
import { sqliteFault } from '../../lib/sqlite/sqlite-fault.ts';
import { reasonOf } from '../../lib/system-error.ts';

/** Milliseconds that a statement waits for another process. A commit of 10,000 events has the lock for some 150 ms. */
const BUSY_TIMEOUT_MS = 5_000;

const HINTS = { damaged: 'restore it from a backup', noDatabase: 'check the setting TIDEMARK_STORE' };

/** "Tide" in ASCII, in the header of the file: distinguishes our stores from databases of other programs. */
export const APPLICATION_ID = 0x54696465;

/**
 * Opens a connection with the settings that every thread needs. WAL lets readers and the writer work concurrently; FULL
 * makes a commit durable when it returns. A checkpoint every 16,000 pages (125 MB) was the fastest for large batches,
 * see docs/performance.md.
 * @throws TidemarkError `unavailable`, or `incompatible` when the file belongs to another program: nothing was written
 * to it then
 */
export function connect(file: string): DatabaseSync {
  return ask(file, () => {
    makeFolder(dirname(file));
    // SQLite creates the files beside it with the same mode.
    makeFile(file);
    const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      // Check this first: even setting the journal mode would write to the file of another program.
      refuseForeign(database, file);
      database.exec(`
        PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
        PRAGMA cache_size = -4000; PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = 200000000;`);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  });
}

/** Runs a statement, and translates SQLite's errors. */
export function ask<Result>(file: string, statement: () => Result): Result {
  try {
    return statement();
  } catch (error) {
    throw translate(file, error);
  }
}

/**
 * Runs reads on one snapshot of the store. Synchronous, so that no other read of this connection uses the snapshot,
 * too.
 */
export function snapshot<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN');
  try {
    return work();
  } finally {
    // After a damaged file or a failing disk, SQLite has ended it already.
    if (database.isTransaction) database.exec('COMMIT');
  }
}

function refuseForeign(database: DatabaseSync, file: string): void {
  const { id, name } = snapshot(database, () => ({
    id: database.prepare('PRAGMA application_id').get()!.application_id,
    name: database.prepare('SELECT name FROM sqlite_schema LIMIT 1').get()?.name,
  }));
  if (id === APPLICATION_ID || (id === 0 && name === undefined)) return;
  const holds = name === undefined ? '' : ` (it holds "${name}")`;
  throw new TidemarkError(
    'incompatible',
    `the store ${file} is a database of another program${holds}: check the setting TIDEMARK_STORE`,
    { file },
  );
}

function translate(file: string, error: unknown): unknown {
  if (error instanceof TidemarkError || !(error instanceof Error)) return error;
  const fault = sqliteFault(error, HINTS);
  if (fault !== undefined) return new TidemarkError('unavailable', `the store ${file} ${fault}`, { file }, error);
  if ('syscall' in error) {
    return new TidemarkError('unavailable', `the store ${file} cannot be opened: ${reasonOf(error)}`, { file }, error);
  }
  return error;
}
