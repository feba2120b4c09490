import { ScratchDatabase } from '../../lib/sqlite/scratch-database.ts';
import type { Datasets } from '../datasets.ts';
import type { RequestDocument } from '../request.ts';

/** Bytes in memory; the rest is on disk. */
const CACHE = 16 * 1024 * 1024;
const SCHEMA = 'CREATE TABLE led (name TEXT, request TEXT, PRIMARY KEY (name, request)) WITHOUT ROWID';

/** Requests by names, such as that of the dataset they led to: on a disk, since there may be millions. */
export class EntityIndex {
  readonly #database: ScratchDatabase;
  readonly #add;
  readonly #find;

  /** @throws TidemarkError `unavailable` when the folder cannot be written */
  constructor(folder: string) {
    this.#database = new ScratchDatabase({ folder, schema: SCHEMA, cacheBytes: CACHE });
    this.#add = this.#database.prepare('INSERT OR IGNORE INTO led VALUES (?, ?)');
    this.#find = this.#database.prepare('SELECT request FROM led WHERE name = ?');
  }

  add(name: string, request: string): void {
    this.#add.run(name, request);
  }

  /** The ids of requests with this name. */
  find(name: string): readonly string[] {
    return this.#find.all(name).map(([request]) => request as string);
  }

  /** The ids of the requests of each name. */
  *groups(): Generator<readonly string[]> {
    const grouped = this.#database.prepare('SELECT json_group_array(request) FROM led GROUP BY name');
    for (const [requests] of grouped.iterate()) yield JSON.parse(requests as string);
  }

  close(): void {
    this.#database.close();
  }
}

/** The documents of requests, the latest first. */
export async function documentsOf(
  datasets: Pick<Datasets, 'byId'>,
  ids: readonly string[],
): Promise<readonly RequestDocument[]> {
  const documents = await Promise.all(ids.map((id) => datasets.byId(id)));
  return documents.toSorted((one, other) => other.requested - one.requested);
}
