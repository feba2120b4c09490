import { Bits } from '../../../lib/bits.ts';
import { type Row, ScratchDatabase, type ScratchStatement } from '../../../lib/sqlite/scratch-database.ts';
import { decodeAbout, encodeAbout, formatHashes, parseHashes, type WantedResource } from '../lists/wanted-resource.ts';

const READ_AT_ONCE = 500;
const OF_LIST = -1;

/** The wanted state of a resource, and its id in the table. */
export interface WantedRow {
  readonly id: number;
  readonly wanted: WantedResource;
}

/**
 * The work of a pass: the wanted state of each resource that may differ. A change replaces the state of the list, and a
 * later change replaces an earlier one, in whatever order they are put; of two with one order, the one that was put
 * last counts. The table is in a temporary file.
 */
export class WantedTable {
  readonly #database: ScratchDatabase;
  readonly #put: ScratchStatement;
  readonly #read: ScratchStatement;
  readonly #find: ScratchStatement;
  readonly #count: ScratchStatement;
  readonly #unusable: ScratchStatement;
  /** Ids of the rows that were taken. */
  #taken = new Bits();

  constructor(folder: string) {
    this.#database = new ScratchDatabase({
      folder,
      schema: `CREATE TABLE wanted (
        id INTEGER PRIMARY KEY, uri TEXT NOT NULL UNIQUE, deleted INTEGER NOT NULL, length INTEGER, hash TEXT NOT NULL,
        lastmod TEXT, stamp INTEGER, about TEXT, unusable TEXT, rank INTEGER NOT NULL)`,
      cacheBytes: 32 * 1024 * 1024,
    });
    this.#put = this.#database.prepare(`
      INSERT INTO wanted (uri, deleted, length, hash, lastmod, stamp, about, unusable, rank)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (uri) DO UPDATE SET deleted = excluded.deleted, length = excluded.length, hash = excluded.hash,
        lastmod = excluded.lastmod, stamp = excluded.stamp, about = excluded.about,
        unusable = excluded.unusable, rank = excluded.rank
      WHERE excluded.rank >= rank`);
    this.#read = this.#database.prepare(
      'SELECT id, uri, length, hash, lastmod, stamp, about FROM wanted WHERE id > ? AND deleted = ? ORDER BY id LIMIT ?',
    );
    this.#find = this.#database.prepare(
      'SELECT id, uri, length, hash, lastmod, stamp, about, deleted FROM wanted WHERE uri = ?',
    );
    this.#count = this.#database.prepare('SELECT ifnull(sum(deleted), 0), ifnull(sum(1 - deleted), 0) FROM wanted');
    this.#unusable = this.#database.prepare(
      'SELECT count(*), min(uri), unusable FROM wanted WHERE deleted = 0 AND unusable IS NOT NULL',
    );
  }

  /**
   * @param order of a change: it replaces what has no later one. By default, the state comes from a list, and every
   *   change replaces it
   */
  put(wanted: WantedResource, order = OF_LIST): void {
    const { uri, isDeleted, length, hashes, lastmod, stamp, about, unusable } = wanted;
    const hash = formatHashes(hashes);
    const values = [length ?? null, hash, lastmod ?? null, stamp ?? null, encodeAbout(about), unusable ?? null];
    this.#put.run(uri, isDeleted ? 1 : 0, ...values, order);
  }

  /** Number of resources to delete, and of those to fetch that were not taken. */
  get size(): { readonly deletions: number; readonly fetches: number } {
    const [deletions, fetches] = this.#count.get()! as readonly [number, number];
    return { deletions, fetches: fetches - this.#taken.size };
  }

  /**
   * The number of resources whose entry has a length or hashes that cannot be compared, and those of one of them;
   * undefined when there is none.
   */
  get unusable(): { readonly count: number; readonly example: string } | undefined {
    const [count, uri, unusable] = this.#unusable.get()! as readonly [number, string, string];
    return count === 0 ? undefined : { count, example: `${unusable} of ${uri}` };
  }

  clear(): void {
    this.#database.exec('DELETE FROM wanted');
    this.#taken = new Bits();
  }

  get(uri: string): WantedResource | undefined {
    const row = this.#find.get(uri);
    return row === undefined ? undefined : wantedOf(row, row[7] === 1);
  }

  /** Returns the row of a resource to fetch; undefined when there is none, or when it was taken. */
  fetchOf(uri: string): WantedRow | undefined {
    const row = this.#find.get(uri);
    if (row === undefined || row[7] === 1 || this.#taken.has(row[0] as number)) return undefined;
    return { id: row[0] as number, wanted: wantedOf(row, false) };
  }

  /** Records that a resource need not be fetched any more. */
  take({ id }: WantedRow): void {
    this.#taken.add(id);
  }

  /**
   * Yields the resources to delete, or those to fetch that were not taken. It reads in parts: the table may change
   * meanwhile.
   */
  *read(kind: 'deletions' | 'fetches'): Generator<WantedResource> {
    const isDeleted = kind === 'deletions';
    for (let after = 0; ; ) {
      const rows = this.#read.all(after, isDeleted ? 1 : 0, READ_AT_ONCE);
      for (const row of rows) {
        after = row[0] as number;
        if (this.#taken.has(after)) continue;
        yield wantedOf(row, isDeleted);
      }
      if (rows.length < READ_AT_ONCE) return;
    }
  }

  close(): void {
    this.#database.close();
  }
}

function wantedOf(row: Row, isDeleted: boolean): WantedResource {
  const [, uri, length, hash, lastmod, stamp, about] = row as unknown as readonly [
    ...[number, string, number | null, string],
    ...[string | null, number | null, string | null],
  ];
  return {
    uri,
    isDeleted,
    length: length ?? undefined,
    hashes: parseHashes(hash),
    lastmod: lastmod ?? undefined,
    stamp: stamp ?? undefined,
    about: decodeAbout(about),
  };
}
