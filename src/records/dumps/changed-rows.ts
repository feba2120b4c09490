import type { ResourceKey } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import { ScratchDatabase } from '../../lib/sqlite/scratch-database.ts';
import type { ChangeLog, StampRange } from '../../stores/change-log.ts';
import type { PlacedRows } from './placed-rows.ts';

/** The net change of a key. */
export interface ChangedRow {
  readonly key: ResourceKey;
  /** Whether the record existed before. */
  readonly existed: boolean;
  /** Whether it changed more than once. */
  readonly again: boolean;
  /** Undefined when the record does not exist now. */
  readonly row: string | undefined;
}

const SCHEMA = 'CREATE TABLE changed (key TEXT PRIMARY KEY, existed INTEGER, again INTEGER, row TEXT) WITHOUT ROWID';
/** Bytes in memory: about ten thousand changes are never written to the disk. */
const CACHE = 16 * 1024 * 1024;

/** The keys that changed between two boundaries, each once. They are on disk, so there may be any number. */
export class ChangedRows {
  readonly #database: ScratchDatabase;
  readonly #rows: PlacedRows;
  readonly #upsert;
  readonly #get;
  readonly #all;
  /** Number of changes that were read. */
  changes = 0;

  /** @throws TidemarkError `unavailable` when nothing can be written into the folder */
  constructor(folder: string, rows: PlacedRows) {
    this.#database = new ScratchDatabase({ folder, schema: SCHEMA, cacheBytes: CACHE });
    this.#rows = rows;
    this.#upsert = this.#database.prepare(
      'INSERT INTO changed VALUES (?, ?, 0, ?) ON CONFLICT (key) DO UPDATE SET row = excluded.row, again = 1',
    );
    this.#get = this.#database.prepare('SELECT 1 FROM changed WHERE key = ?');
    this.#all = this.#database.prepare('SELECT key, existed, again, row FROM changed ORDER BY key');
  }

  /** @throws TidemarkError `unavailable`, for instance when the disk is full */
  async read(index: Pick<ChangeLog, 'changes'>, set: SetId, range: StampRange): Promise<void> {
    for await (const batch of index.changes(set, range)) {
      // Of several changes of a key, the first shows whether it existed, and the last one counts.
      for (const { key, kind, state } of batch) {
        this.#upsert.run(key, kind === 'created' ? 0 : 1, state === undefined ? null : this.#rows.rowOf(key, state));
      }
      this.changes += batch.length;
    }
  }

  has(key: ResourceKey): boolean {
    return this.changes > 0 && this.#get.get(key) !== undefined;
  }

  /** Ascending by key. */
  *[Symbol.iterator](): Generator<ChangedRow> {
    for (const [key, existed, again, row] of this.#all.iterate()) {
      const current = (row as string | null) ?? undefined;
      yield { key: key as string, existed: existed === 1, again: again === 1, row: current };
    }
  }

  close(): void {
    this.#database.close();
  }
}
