import type { DatabaseSync } from 'node:sqlite';
import { prepareRows } from './row-statement.ts';

/**
 * What SQLite finds wrong in the structure of the file: pages, the order of rows, rows without an entry in an index.
 * It reads every page, and compares no contents: a changed bit within a state is none of these.
 */
export function findDamage(database: DatabaseSync): readonly string[] {
  const rows = prepareRows<[message: string]>(database, 'PRAGMA integrity_check').all();
  const lines = rows.flatMap(([message]) => message.split('\n'));
  return lines.filter((line) => line !== 'ok' && !line.startsWith('***'));
}
