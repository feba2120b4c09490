import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import { migrateStores, openStores } from '../../../src/stores/open-stores.ts';
import { SCHEMA_VERSION } from '../../../src/stores/sqlite/schema.ts';
import { collect, deletion, URL_PREFIX, upsert } from '../../support/builders.ts';
import { copyToFirstSchema } from '../../support/first-schema.ts';

describe('a SQLite store of an older schema', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    file = join(folder, 'tidemark.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** The rows of a store of today, in the tables of the first version. */
  async function makeFirstVersion(): Promise<number> {
    const stores = await openStores({ kind: 'sqlite', file: join(folder, 'today.db') });
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    const { id } = await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX });
    const { id: other } = await sets.add({ slug: 'texts', urlPrefix: URL_PREFIX });
    await stores.index.commit([upsert(id, 'a'), upsert(other, 'a'), upsert(id, 'b'), upsert(id, 'a', { length: 2 })]);
    await stores.index.commit([deletion(id, 'a'), upsert(id, 'a'), upsert(other, 'a', { length: 5 })]);
    await stores.close();
    copyToFirstSchema(join(folder, 'today.db'), file);
    return id;
  }

  it('is refused until it is migrated, and then has everything, with the history of each resource', async () => {
    const id = await makeFirstVersion();
    const location = { kind: 'sqlite', file } as const;
    await assert.rejects(openStores(location), (error) => isTidemarkError(error, 'incompatible'));
    assert.deepEqual(await migrateStores(location), { from: 1, to: SCHEMA_VERSION });
    const { index, close } = await openStores(location);
    try {
      const changes = await collect(index.changes(id, { after: 0 }));
      assert.equal(changes.length, 5);
      assert.deepEqual(
        await index.history(id, '/a', { limit: 10 }),
        changes.filter(({ key }) => key === '/a').toReversed(),
      );
      await index.commit([{ ...upsert(id, 'a', { length: 9 }), order: 4 }]);
      const late = { ...upsert(id, 'a'), order: 3 };
      assert.deepEqual(await index.commit([late]), [{ status: 'unchanged', reason: 'superseded' }]);
      assert.equal((await index.history(id, '/a', { limit: 10 })).length, 5);
      const [counts] = await index.activity(id, { after: 1, until: changes.at(-1)!.stamp + 1, unit: 'day' });
      assert.deepEqual([counts!.created, counts!.updated, counts!.deleted], [3, 1, 1]);
    } finally {
      await close();
    }
  });
});
