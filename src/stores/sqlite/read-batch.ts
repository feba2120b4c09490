import type { DatabaseSync } from 'node:sqlite';
import { BatchedCalls } from '../../lib/calls/batched-calls.ts';
import { ask } from './connection.ts';
import type { StoreIdentity } from './store-lock.ts';

/** Reads a value once for all reads of a transaction, by a name. */
type ReadOnce = <Result>(name: string, read: () => Result) => Result;

interface ReadBatchParts {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly identity: StoreIdentity;
}

/**
 * Reads a few rows for each of many requests. Requests that arrive together share a transaction, and a check that the
 * store is still the file that was opened. Locks and check cost more than the rows.
 */
export class ReadBatch {
  readonly #file: string;
  readonly #calls: BatchedCalls<ReadOnce>;

  constructor({ database, file, identity }: ReadBatchParts) {
    this.#file = file;
    const [begin, commit] = [database.prepare('BEGIN'), database.prepare('COMMIT')];
    this.#calls = new BatchedCalls((runAll) => {
      identity.require();
      ask(file, () => begin.run());
      try {
        runAll(rememberReads());
      } finally {
        // After a damaged file or a failing disk, SQLite has ended it already.
        if (database.isTransaction) ask(file, () => commit.run());
      }
    });
  }

  /** @throws TidemarkError `unavailable` when the store was replaced or removed, or cannot be read */
  run<Result>(statements: (once: ReadOnce) => Result): Promise<Result> {
    return this.#calls.run((once) => ask(this.#file, () => statements(once)));
  }
}

function rememberReads(): ReadOnce {
  const known = new Map<string, unknown>();
  return <Result>(name: string, read: () => Result) => {
    if (!known.has(name)) known.set(name, read());
    return known.get(name) as Result;
  };
}
