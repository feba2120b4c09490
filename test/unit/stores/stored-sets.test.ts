import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import type { Catalog } from '../../../src/stores/catalog.ts';
import { StoredSets } from '../../../src/stores/elasticsearch/stored-sets.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';

describe('a cache of the sets in the catalog', () => {
  let folder: string;
  let stores: Stores;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    stores = await openStores({ kind: 'sqlite', file: join(folder, 'tidemark.db') });
  });
  afterEach(async () => {
    await stores.close();
    await rm(folder, { recursive: true });
  });

  it('keeps what a later load has read, when an earlier one ends after it', async () => {
    const registry = new SetRegistry(stores.catalog, stores.index);
    await registry.useBaseUrl('http://localhost:8080', false);
    const { id } = await registry.add({ slug: 'a', urlPrefix: 'http://old.example.org/' });
    const slow = slowFirstList(stores.catalog);
    const sets = new StoredSets(slow.catalog);
    const first = sets.load();
    await slow.hasRead;
    await registry.move('a', 'http://new.example.org/');
    const second = sets.load();
    // Either the second load ends before the first, or it waits for the first.
    await Promise.race([second, setTimeout(200)]);
    slow.release();
    await Promise.all([first, second]);
    assert.equal(sets.get(id)?.urlPrefix, 'http://new.example.org/');
  });
});

/** The first list is read at once, and returned when it is released. */
function slowFirstList(catalog: Catalog) {
  const read = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isFirst = true;
  const slow = {
    head: catalog.head.bind(catalog),
    async list(...values: Parameters<Catalog['list']>) {
      const documents = await catalog.list(...values);
      if (!isFirst) return documents;
      isFirst = false;
      read.resolve();
      await released.promise;
      return documents;
    },
  } as Catalog;
  return { catalog: slow, hasRead: read.promise, release: () => released.resolve() };
}
