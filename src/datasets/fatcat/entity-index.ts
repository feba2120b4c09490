import { ScratchDatabase } from '../../lib/sqlite/scratch-database.ts';
import type { Datasets } from '../datasets.ts';
import type { RequestDocument } from '../request.ts';
import type { ListedRequest } from '../results/request-list.ts';

/** Bytes in memory; the rest is on disk. */
const CACHE = 16 * 1024 * 1024;
const PAGE = 1_000;
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

  /** Each name with the ids of its requests, ascending by name. */
  *groups(): Generator<{ readonly name: string; readonly requests: readonly string[] }> {
    let open: { readonly name: string; readonly requests: string[] } | undefined;
    for (const [name, request] of this.#database.prepare('SELECT name, request FROM led').iterate()) {
      if (open !== undefined && open.name === name) {
        open.requests.push(request as string);
        continue;
      }
      if (open !== undefined) yield open;
      open = { name: name as string, requests: [request as string] };
    }
    if (open !== undefined) yield open;
  }

  close(): void {
    this.#database.close();
  }
}

/** All requests of a set, or of all sets, the newest first. */
export async function* allRequests(
  datasets: Pick<Datasets, 'list'>,
  { set, signal }: { readonly set?: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<ListedRequest> {
  let after: string | undefined;
  do {
    signal.throwIfAborted();
    const { requests, next } = await datasets.list({ set, after, limit: PAGE });
    yield* requests;
    after = next;
  } while (after !== undefined);
}

/** The documents of requests, the latest first. */
export async function documentsOf(
  datasets: Pick<Datasets, 'byId'>,
  ids: readonly string[],
): Promise<readonly RequestDocument[]> {
  const documents = await Promise.all(ids.map((id) => datasets.byId(id)));
  return documents.toSorted((one, other) => other.requested - one.requested);
}
