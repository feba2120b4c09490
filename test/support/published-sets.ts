import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChangeEvent } from '../../src/core/change.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import type { Stamp } from '../../src/core/stamp.ts';
import { fingerprint } from '../../src/publish/cache/document-reference.ts';
import { setUris } from '../../src/publish/documents.ts';
import type { PublishedSet } from '../../src/publish/published-set.ts';
import { catalogId } from '../../src/stores/document-of-set.ts';
import { openSqlite } from '../../src/stores/sqlite/open-sqlite.ts';
import { URL_PREFIX } from './builders.ts';

type Stores = Awaited<ReturnType<typeof openSqlite>>;

/** Sets in one store of SQLite for all tests of a suite, without what a server has beside them. */
export class PublishedSets {
  readonly #folder: string;
  readonly #stores: Stores;
  #lastId = 0;

  private constructor(folder: string, stores: Stores) {
    this.#folder = folder;
    this.#stores = stores;
  }

  static async open(): Promise<PublishedSets> {
    const folder = await mkdtemp(join(tmpdir(), 'sets-'));
    return new PublishedSets(folder, await openSqlite(join(folder, 'tidemark.db'), {}));
  }

  get index(): Stores['index'] {
    return this.#stores.index;
  }

  get catalog(): Stores['catalog'] {
    return this.#stores.catalog;
  }

  async close(): Promise<void> {
    await this.#stores.close();
    await rm(this.#folder, { recursive: true });
  }

  /** A new set, whose history begins now. */
  async add(fields: Partial<ResourceSet> = {}): Promise<PublishedSet> {
    const id = ++this.#lastId;
    const epochStart = await this.index.mark();
    return this.put({
      id,
      slug: `set-${id}`,
      urlPrefix: URL_PREFIX,
      origin: { kind: 'posted' },
      epoch: 1,
      epochStart,
      ready: true,
      publishHashes: [],
      exclude: [],
      pageEntries: 3,
      windowChanges: 3,
      ...fields,
    });
  }

  /** Replaces a set, as an administrator's change does. */
  async put(set: ResourceSet): Promise<PublishedSet> {
    const known = await this.catalog.get('set', catalogId(set.id));
    await this.catalog.put('set', catalogId(set.id), set, known?.version);
    return {
      set,
      baseUrl: 'https://data.example.org',
      uris: setUris('https://data.example.org', set.slug),
      style: { urlPrefix: URL_PREFIX, publishHashes: [] },
      folder: String(set.id),
      fingerprint: fingerprint(set.id),
    };
  }

  /** Commits events, each of which changes something. Returns the stamps of their changes. */
  async commit(...events: readonly ChangeEvent[]): Promise<Stamp[]> {
    const results = await this.index.commit(events);
    return results.map((result) => {
      if (result.status !== 'applied') throw new Error(`an event is ${result.status}`);
      return result.stamp;
    });
  }
}

/** The same store, but something happens whenever one of its methods has returned. */
export function withAfter<Store extends object>(
  store: Store,
  method: keyof Store,
  happens: (result: unknown) => Promise<unknown>,
): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== method) return value.bind(target);
      return async (...values: unknown[]) => {
        const result = await value.apply(target, values);
        await happens(result);
        return result;
      };
    },
  });
}
