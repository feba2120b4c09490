import type { DatabaseSync } from 'node:sqlite';
import { BatchedCalls } from '../../lib/batched-calls.ts';
import { ask } from './connection.ts';
import type { StoreIdentity } from './store-lock.ts';

interface ReadBatchParts {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly identity: StoreIdentity;
}

/**
 * Reads a few rows for each of many requests: those that arrive together are read in one transaction, after one check
 * that the store is still the file that was opened. Locks and check cost more than the rows.
 */
export class ReadBatch {
  readonly #file: string;
  readonly #calls: BatchedCalls;

  constructor({ database, file, identity }: ReadBatchParts) {
    this.#file = file;
    const [begin, commit] = [database.prepare('BEGIN'), database.prepare('COMMIT')];
    this.#calls = new BatchedCalls((runAll) => {
      identity.require();
      ask(file, () => begin.run());
      try {
        runAll();
      } finally {
        // A damaged file or a failing disk has ended it already.
        if (database.isTransaction) ask(file, () => commit.run());
      }
    });
  }

  /** @throws TidemarkError `unavailable` when the store was replaced or removed, or cannot be read */
  run<Result>(statements: () => Result): Promise<Result> {
    return this.#calls.run(() => ask(this.#file, statements));
  }
}
