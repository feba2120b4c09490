import type { DatabaseSync } from 'node:sqlite';

/**
 * All of it, or nothing. Takes the write lock at once: a transaction that read first could not be repeated when another
 * one wrote.
 */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some faults, a full disk among them.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
