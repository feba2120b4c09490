import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { deletion, upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';

interface Answer {
  readonly hits: { readonly total: { readonly value: number }; readonly hits: readonly object[] };
}

describe('the mappings on Elasticsearch', () => {
  const server = useElasticsearch();
  let prefix: string;
  let stores: Stores;

  beforeEach(async () => {
    prefix = uniquePrefix();
    stores = await openStores({ kind: 'elasticsearch', nodes: [server.url], prefix });
  });

  afterEach(async () => {
    await stores.close();
    await removeIndices(server.url, prefix);
  });

  for (const lastmod of [
    '2017-02-03T12:25:00Z',
    '2017-02-03T12:25:00+0000',
    '2017-02-03T13:25:00+01:00',
    '2017-02-03T12:25:00.000Z',
  ]) {
    it(`take the date ${lastmod}, and find it`, async () => {
      for (const kind of ['resources', 'changes']) {
        const put = await ask('PUT', `${prefix}-${kind}/_create/1?refresh`, { lastmod });
        assert.equal(put.status, 201, `${kind}: ${JSON.stringify(put.body)}`);
        for (const gte of ['2017-02-03T12:25:00Z', '2017-02-03T12:25:00+0000']) {
          assert.equal(await countBetween(kind, { gte, lte: gte }), 1, `${kind}, from ${gte}`);
        }
      }
    });
  }

  it('take the length of a file above 2 GiB', async () => {
    const put = await ask('PUT', `${prefix}-resources/_create/1`, { length: 49_095_370_137 });
    assert.equal(put.status, 201);
  });

  it('refuse a field that they do not know', async () => {
    const put = await ask('PUT', `${prefix}-resources/_create/1`, { lenght: 1 });
    assert.equal(put.status, 400);
    assert.match(JSON.stringify(put.body), /strict_dynamic_mapping_exception/);
  });

  it('answer the queries of mappings/README.md', async () => {
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    const { id } = await sets.add({ slug: 'maps' });
    const state = { length: 5, mime: 'image/tiff' };
    await stores.index.commit([upsert(id, '2026/a.tif', state), upsert(id, 'b.tif', state), deletion(id, 'b.tif')]);
    // A reader sees to it that everything is applied.
    await stores.index.summary(id);

    const page = readFileSync(new URL('../../mappings/README.md', import.meta.url), 'utf8');
    const queries = [...page.matchAll(/```json\nPOST \/omtd-resourcesync\/_search\n(.*?)```/gs)];
    const found: unknown[] = [];
    for (const [, query] of queries) {
      const { status, body } = await ask('POST', `${prefix}/_search`, JSON.parse(query!));
      assert.equal(status, 200, JSON.stringify(body));
      found.push((body as Answer).hits.total.value);
    }
    assert.deepEqual(found, [1, 3, 1, 1]);
  });

  async function countBetween(kind: string, range: object): Promise<number> {
    const { body } = await ask('POST', `${prefix}-${kind}/_search`, { query: { range: { lastmod: range } } });
    return (body as Answer).hits.total.value;
  }

  async function ask(method: string, path: string, value: object): Promise<{ status: number; body: unknown }> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/${path}`, { method, headers, body: JSON.stringify(value) });
    return { status: response.status, body: await response.json() };
  }
});
