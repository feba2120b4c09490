import type { DatabaseSync } from 'node:sqlite';
import { ask, connect } from './connection.ts';
import { prepareRows } from './row-statement.ts';

/**
 * Damage that SQLite finds in the structure of the file: pages, the order of rows, missing index entries. It reads
 * every page, but no contents: it does not find a changed bit within a state.
 */
export function findDamage(database: DatabaseSync): readonly string[] {
  const rows = prepareRows<[message: string]>(database, 'PRAGMA integrity_check').all();
  const lines = rows.flatMap(([message]) => message.split('\n'));
  return lines.filter((line) => line !== 'ok' && !line.startsWith('***'));
}

/**
 * As `findDamage`, for a file that no other process has open.
 * @throws TidemarkError `unavailable` when it cannot be read
 */
export function findDamageIn(file: string): readonly string[] {
  const database = connect(file);
  try {
    return ask(file, () => findDamage(database));
  } finally {
    database.close();
  }
}
