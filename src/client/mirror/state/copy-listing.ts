import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../../../core/errors.ts';
import type { KeyRange, ResourceKey } from '../../../core/key.ts';
import { type CopiedResource, decodeAbout } from '../lists/wanted-resource.ts';
import { STATE_FILE } from './mirror-state.ts';
import { StateDatabase } from './state-database.ts';

/** The state of a resource in the copy, or the reason why it could not be copied. */
export interface ListedResource {
  readonly key: ResourceKey;
  readonly path: string;
  readonly uri: string;
  readonly copied: CopiedResource | undefined;
  /** Why the newest version could not be copied. */
  readonly failure: string | undefined;
}

const READ_AT_ONCE = 1_000;
const SELECT = `SELECT r.key, r.path, r.uri, r.length, r.hash, r.lastmod, r.about, f.reason
  FROM resource r LEFT JOIN failure f ON f.uri = r.uri`;
const RANGE = `${SELECT} WHERE r.key >= ? AND r.key < ? ORDER BY r.key LIMIT ${READ_AT_ONCE}`;
const ONE = `${SELECT} WHERE r.key = ?`;

/** Lists the current resources of a copy in key order. Another thread or process may sync the copy at the same time. */
export class CopyListing {
  readonly #database: StateDatabase;
  #holders = 0;
  #isClosed = false;

  /**
   * @param folder the folder with the state of the copy
   * @throws TidemarkError `unavailable` when there is no copy, its first pass is not complete, or it cannot be read
   */
  constructor(folder: string) {
    const file = join(folder, STATE_FILE);
    if (!existsSync(file)) throw isIncomplete(folder);
    this.#database = new StateDatabase(file, { schema: '', readOnly: true });
    try {
      // Until a whole list was applied, resources may be missing here that the source has.
      const isComplete = this.#database.get("SELECT 1 FROM fact WHERE name = 'listRead'") !== undefined;
      if (!isComplete) throw isIncomplete(folder);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Yields batches in ascending key order. @throws TidemarkError `unavailable` */
  *read({ from = '/', to = '0' }: KeyRange): Generator<readonly ListedResource[]> {
    for (let next = from; ; ) {
      const rows = this.#database.all(RANGE, next, to).map(listed);
      if (rows.length > 0) yield rows;
      if (rows.length < READ_AT_ONCE) return;
      // The smallest key above this one.
      next = `${rows.at(-1)!.key}\0`;
    }
  }

  /** @throws TidemarkError `unavailable` */
  get(key: ResourceKey): ListedResource | undefined {
    const row = this.#database.get(ONE, key);
    return row === undefined ? undefined : listed(row);
  }

  /** The path of a copied resource; undefined when there is no copy. @throws TidemarkError `unavailable` */
  pathOf(uri: string): string | undefined {
    const row = this.#database.get('SELECT path FROM resource WHERE uri = ? AND length IS NOT NULL', uri);
    return row?.[0] as string | undefined;
  }

  /** Keeps the listing open until the returned function is called, even after `close`. */
  hold(): () => void {
    this.#holders += 1;
    return () => {
      this.#holders -= 1;
      this.#closeUnused();
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#closeUnused();
  }

  #closeUnused(): void {
    if (this.#isClosed && this.#holders === 0) this.#database.close();
  }
}

function listed(row: unknown): ListedResource {
  const [key, path, uri, length, hash, lastmod, about, reason] = row as readonly [
    ...[string, string, string, number | null, string | null],
    ...[string | null, string | null, string | null],
  ];
  const copied =
    length === null || hash === null
      ? undefined
      : { length, hash, lastmod: lastmod ?? undefined, stamp: undefined, about: decodeAbout(about) };
  return { key, path, uri, copied, failure: reason ?? undefined };
}

function isIncomplete(folder: string): TidemarkError {
  const message = `the copy in ${folder} is not complete yet: nothing is published of it, and nothing deleted`;
  return new TidemarkError('unavailable', message, { folder });
}
