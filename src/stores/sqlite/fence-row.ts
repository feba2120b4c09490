import type { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../core/errors.ts';
import { transaction } from '../../lib/sqlite/sqlite-transaction.ts';
import { hasMovedError, isPausedError, PAUSE_MS } from '../store-fence.ts';
import type { FenceWrite } from './wire.ts';

/** The row of the table `fence`: a pause that ends at a time (milliseconds since 1970), or the mark of the move. */
export type FenceBody = { readonly pause: string; readonly until: number } | { readonly to: string };

/** Writes and checks the fence on one connection. Synchronous. */
export class FenceRow {
  readonly #database: DatabaseSync;
  readonly #statements;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = {
      get: database.prepare('SELECT body FROM fence'),
      put: database.prepare('INSERT OR REPLACE INTO fence VALUES (1, ?)'),
      remove: database.prepare('DELETE FROM fence'),
    };
  }

  /**
   * Call it first in each transaction that writes: a pause that is over ends with it, so that the store cannot be
   * marked as moved after that write.
   * @throws TidemarkError `unavailable` during a pause, and when the store has moved
   */
  require(): void {
    const found = this.#read();
    if (found === undefined) return;
    if ('to' in found) throw hasMovedError(found.to);
    if (isUnderWay(found)) throw isPausedError();
    this.#statements.remove.run();
  }

  /** Returns whether the fence was changed. */
  write(write: FenceWrite): boolean {
    return transaction(this.#database, () => {
      const found = this.#read();
      switch (write.kind) {
        case 'pause':
          this.#requirePausable(found);
          this.#put({ pause: write.pause, until: Date.now() + write.forMs });
          return true;
        case 'move':
          if (!isPause(found, write.pause)) return false;
          this.#put({ to: write.to });
          return true;
        case 'release':
          return isPause(found, write.pause) && this.#statements.remove.run().changes > 0;
        case 'take-back':
          return found !== undefined && 'to' in found && this.#statements.remove.run().changes > 0;
      }
    });
  }

  #requirePausable(found: FenceBody | undefined): void {
    if (found === undefined) return;
    if ('to' in found) throw hasMovedError(found.to);
    if (isUnderWay(found)) throw new TidemarkError('conflict', 'another process is moving this store: wait for it');
  }

  #read(): FenceBody | undefined {
    const row = this.#statements.get.get();
    return row && JSON.parse(row.body as string);
  }

  #put(body: FenceBody): void {
    this.#statements.put.run(JSON.stringify(body));
  }
}

/** A pause that seems to last longer than any is over: the clock was set back. */
export function isUnderWay({ until }: { readonly until: number }): boolean {
  const left = until - Date.now();
  return left > 0 && left <= PAUSE_MS;
}

function isPause(found: FenceBody | undefined, pause: string): boolean {
  return found !== undefined && 'pause' in found && found.pause === pause;
}
