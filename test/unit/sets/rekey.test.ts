import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChangeEvent } from '../../../src/core/change.ts';
import { entryWeight } from '../../../src/core/entry-weight.ts';
import type { Tombstone } from '../../../src/core/resource.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { rekey } from '../../../src/sets/rekey.ts';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';
import { collect } from '../../support/builders.ts';
import { describeOnEachStore, type StorePlace } from '../../support/each-store.ts';

const PREFIX = 'http://example.org/';

describeOnEachStore('giving resources the keys of their URIs', (store) => {
  let folder: string;
  let place: StorePlace;
  let stores: Stores;
  let set: ResourceSet;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    place = store.place(folder, { mayBeMade: true });
    stores = await openStores(place.location);
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    set = await sets.add({ slug: 'a', urlPrefix: PREFIX });
  });
  afterEach(async () => {
    await stores.close();
    await place.dispose();
    await rm(folder, { recursive: true });
  });

  function event(key: string, length: number): ChangeEvent {
    const state = { length };
    return { set: set.id, key, state, weight: entryWeight(PREFIX, key, state) };
  }
  const lengthOf = async (key: string) => (await stores.index.lookup(set.id, [key]))[0]?.state?.length;

  it('keeps the newer state that a client posts meanwhile', async () => {
    await stores.index.commit([event(`${PREFIX}a`, 1)]);
    const posting = {
      read: stores.index.read.bind(stores.index),
      commit: stores.index.commit.bind(stores.index),
      async lookup(id: number, keys: readonly string[]) {
        const found = await stores.index.lookup(id, keys);
        await stores.index.commit([event('/a', 2)]);
        return found;
      },
    };
    await rekey(posting, set);
    assert.deepEqual([await lengthOf('/a'), await lengthOf(`${PREFIX}a`)], [2, undefined]);
  });

  it('keeps the newer one of two resources that get one key', async () => {
    await stores.index.commit([event(`${PREFIX}a-b`, 1), event(`${PREFIX}a%2Db`, 2)]);
    await stores.index.commit([event(`${PREFIX}c%2Dd`, 1), event(`${PREFIX}c-d`, 2)]);
    await rekey(stores.index, set);
    assert.deepEqual([await lengthOf('/a-b'), await lengthOf('/c-d')], [2, 2]);
  });

  it('keeps a resource that was posted under its right key, when it is newer', async () => {
    await stores.index.commit([event(`${PREFIX}new`, 1), event('/old', 1)]);
    await stores.index.commit([event('/new', 2), event(`${PREFIX}old`, 2)]);
    await rekey(stores.index, set);
    assert.deepEqual([await lengthOf('/new'), await lengthOf('/old')], [2, 2]);
  });

  it('lets a newer deletion win, unless it is of an earlier epoch', async () => {
    const gone: ChangeEvent = { set: set.id, key: '/a', state: undefined, weight: 0 };
    for (const epoch of ['this', 'earlier']) {
      await stores.index.commit([event('/a', 1)]);
      await stores.index.commit([event(`${PREFIX}a`, 2)]);
      await stores.index.commit([gone]);
      const [{ stamp }] = (await stores.index.lookup(set.id, ['/a'])) as [Tombstone];
      await rekey(stores.index, { ...set, epochStart: epoch === 'this' ? stamp - 1 : stamp });
      assert.equal(await lengthOf('/a'), epoch === 'this' ? undefined : 2);
      assert.equal(await lengthOf(`${PREFIX}a`), undefined);
    }
  });

  it('renames in one commit, once, and leaves what is elsewhere as it is', async () => {
    const elsewhere = ['http://example.org.evil/a', 'http://example.org:81/a', 'https://example.org/a'];
    await stores.index.commit([`${PREFIX}a`, '/b', ...elsewhere].map((key) => event(key, 1)));
    const keys = async () => (await collect(stores.index.read(set.id, {}))).flat().map(({ key }) => key);
    const before = await stores.index.watermark();
    let commits = 0;
    const counting: Parameters<typeof rekey>[0] = {
      read: stores.index.read.bind(stores.index),
      lookup: stores.index.lookup.bind(stores.index),
      commit(events) {
        commits += 1;
        return stores.index.commit(events);
      },
    };
    for (let time = 0; time < 2; time++) {
      await rekey(counting, set);
      assert.deepEqual(await keys(), ['/a', '/b', ...elsewhere]);
      assert.equal(commits, 1);
      const changes = (await collect(stores.index.changes(set.id, { after: before }))).flat();
      assert.deepEqual(changes.map(({ kind, key }) => `${kind} ${key}`).toSorted(), [
        'created /a',
        `deleted ${PREFIX}a`,
      ]);
    }
  });
});
