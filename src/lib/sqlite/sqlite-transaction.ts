import type { DatabaseSync } from 'node:sqlite';

/**
 * Runs work in a transaction. Takes the write lock at once: a transaction that reads first cannot be retried after
 * another one has written.
 */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // After some faults, such as a full disk, SQLite has rolled back already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
