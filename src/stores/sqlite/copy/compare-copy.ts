import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { TidemarkError } from '../../../core/errors.ts';
import { reasonOf } from '../../../lib/system-error.ts';
import { findDamage } from '../find-damage.ts';
import { prepareRows } from '../row-statement.ts';

/** Rows that are hashed between two checks of the signal. */
const ROWS_AT_A_TIME = 5_000;

/**
 * Compares a copy with the snapshot that it was made of: each row of each table, then the structure of the file, which
 * contains the indexes. The copy is opened read-only, and no file is made beside it.
 * @throws TidemarkError `unavailable` when the copy differs, or is damaged as the store is; the signal's reason
 */
export async function requireEqualCopy(
  snapshot: DatabaseSync,
  copy: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const expected = await digestRows(snapshot, signal);
  const { digest, damage } = await readCopy(copy, signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw differs(copy, reasonOf(error), error);
  });
  if (digest !== expected) throw differs(copy, 'it has other rows');
  if (damage.length > 0) throw differs(copy, damage.join('; '));
}

async function readCopy(file: string, signal: AbortSignal | undefined) {
  const url = pathToFileURL(file);
  // Of a file in WAL mode, SQLite would otherwise make and lock a log beside it.
  url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    return { digest: await digestRows(database, signal), damage: findDamage(database) };
  } finally {
    database.close();
  }
}

/** SHA-256 of all rows of all tables. Memory does not grow with the store. */
async function digestRows(database: DatabaseSync, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  const tables = prepareRows<[name: string]>(
    database,
    "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1",
  );
  for (const [table] of tables.all()) {
    const columns = prepareRows<[name: string]>(database, 'SELECT name FROM pragma_table_info(?)').all(table);
    // A value as a literal of SQL: different for a text and a number, and exact for integers of any size.
    const row = columns.map(([column]) => `quote(${quoted(column)})`).join(" || ',' || ");
    hash.update(`${table}\n`);
    let batch: string[] = [];
    for (const [text] of prepareRows<[string]>(database, `SELECT ${row} FROM ${quoted(table)}`).iterate()) {
      if (batch.push(text) < ROWS_AT_A_TIME) continue;
      hash.update(`${batch.join('\n')}\n`);
      batch = [];
      await pause();
      signal?.throwIfAborted();
    }
    hash.update(`${batch.join('\n')}\n`);
  }
  return hash.digest('hex');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function differs(copy: string, reason: string, cause?: unknown): TidemarkError {
  const message = `the backup ${copy} was written, and is not a copy of the store: ${reason}. It was removed: check the disks`;
  return new TidemarkError('unavailable', message, { file: copy }, cause);
}
