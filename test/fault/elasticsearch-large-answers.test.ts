import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { isTidemarkError } from '../../src/core/errors.ts';
import type { ResourceState } from '../../src/core/resource.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { openElasticsearch } from '../../src/stores/elasticsearch/open-elasticsearch.ts';
import type { ElasticsearchLocation } from '../../src/stores/locations.ts';
import { collect, URL_PREFIX, upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';
import { refusal } from '../support/elasticsearch-refusal.ts';
import { FaultProxy } from '../support/fault-proxy.ts';

const COUNT = 12;
/** Bytes: three states are larger. */
const MOST_BYTES_OF_BATCH = 100_000;
/** Of 40,000 bytes. */
const LINKS = Array.from({ length: 100 }, (_, at) => ({ rel: 'item', href: `/${'l'.repeat(350)}/${at}` }));

describe('answers of Elasticsearch that are too large', () => {
  const server = useElasticsearch();
  let location: ElasticsearchLocation;
  let proxy: FaultProxy;
  let stores: Awaited<ReturnType<typeof openElasticsearch>>;
  let set: number;

  before(async () => {
    proxy = await FaultProxy.start(server.url);
    location = { kind: 'elasticsearch', nodes: [proxy.url], prefix: uniquePrefix() };
    stores = await openElasticsearch(location, { mostBytesOfBatch: MOST_BYTES_OF_BATCH });
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    set = (await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX })).id;
    for (const length of [1, 2]) {
      await stores.index.commit(paths.map((path) => upsert(set, path, { length, links: LINKS })));
    }
  });

  after(async () => {
    await stores?.close();
    await proxy?.close();
    if (location !== undefined) await removeIndices(server.url, location.prefix);
  });

  const paths = Array.from({ length: COUNT }, (_, at) => `map-${String(at).padStart(2, '0')}`);
  const keys = paths.map((path) => `/${path}`);

  it('are requested in smaller batches, wherever many documents are read', async () => {
    const { index } = stores;
    const newest = ({ key, state }: { readonly key: string; readonly state: ResourceState | undefined }) => {
      assert.deepEqual(state, { length: 2, links: LINKS });
      return key;
    };
    assert.deepEqual((await collect(index.read(set, {}))).map(newest), keys);
    assert.deepEqual(
      (await index.lookup(set, keys)).map((resource) => newest(resource as Parameters<typeof newest>[0])),
      keys,
    );
    assert.deepEqual((await index.find(set, { part: 'map', limit: COUNT })).resources.map(newest), keys);
    assert.deepEqual((await index.latest(set, { limit: COUNT })).map(newest), keys.toReversed());
    const changes = await collect(index.changes(set, { after: 0 }));
    assert.deepEqual(
      changes.map(({ key, kind }) => `${kind} ${key}`),
      [...keys.map((key) => `created ${key}`), ...keys.map((key) => `updated ${key}`)],
    );
    assert.deepEqual(
      (await index.tail(0, COUNT + 5)).map(({ stamp }) => stamp),
      changes.slice(0, COUNT + 5).map(({ stamp }) => stamp),
    );
    const again = await index.commit(paths.map((path) => upsert(set, path, { length: 2, links: LINKS })));
    assert.deepEqual(new Set(again.map(({ status }) => status)), new Set(['unchanged']));
  });

  it('are requested in smaller batches, where documents of the catalog are listed', async () => {
    const { catalog } = stores;
    const ids = Array.from({ length: COUNT }, (_, at) => String(at).padStart(10, '0'));
    for (const id of ids) await catalog.put('journal', id, { id }, undefined);
    // As Elasticsearch does when it has no memory for the answer.
    const rule = proxy.on(
      ({ path, body }) => path.includes('_search') && JSON.parse(body).size > 5_000,
      async () => refusal(429),
    );
    try {
      assert.deepEqual(
        (await catalog.list<{ id: string }>('journal')).map(({ id, body }) => [id, body.id]),
        ids.map((id) => [id, id]),
      );
    } finally {
      rule.remove();
    }
  });

  it('are refused when they are compressed, which no request asked for', async () => {
    const packed = gzipSync(JSON.stringify({ hits: { hits: [] }, filler: ' '.repeat(1_000_000) }));
    const rule = proxy.on(
      ({ path }) => path.includes('_search'),
      async (execute) => {
        const { status, headers } = await execute();
        const { 'content-length': _, ...kept } = headers;
        return { status, headers: { ...kept, 'content-encoding': 'gzip' }, body: packed };
      },
    );
    try {
      await assert.rejects(
        stores.index.latest(set, { limit: 1 }),
        (error) => isTidemarkError(error, 'unavailable') && /too large, or compressed/.test(error.message),
      );
    } finally {
      rule.remove();
    }
    assert.equal((await stores.index.latest(set, { limit: 1 })).length, 1);
  });
});
