import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isTidemarkError } from '../../src/core/errors.ts';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import { SCHEMA_VERSION } from '../../src/stores/elasticsearch/index-schema.ts';
import { makeChangesIndex } from '../../src/stores/elasticsearch/shards/later-indices.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { deletion, upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';

const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const EMPTY_SHA_256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
/** Fields of both kinds that are sorted and aggregated as they are. */
const SORTABLE: readonly string[] = ['resource_set', 'set', 'location.type', 'length', 'mime', 'lastmod'];

interface Answer {
  readonly hits: { readonly total: { readonly value: number }; readonly hits: readonly object[] };
}

describe('the mappings on Elasticsearch', () => {
  const server = useElasticsearch();
  let prefix: string;
  let stores: Stores;
  let cluster: Cluster;

  beforeEach(async () => {
    prefix = uniquePrefix();
    cluster = new Cluster({ nodes: [server.url] });
    stores = await openStores({ kind: 'elasticsearch', nodes: [server.url], prefix });
  });

  afterEach(async () => {
    await stores.close();
    await cluster.close();
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

  describe('of a cluster with an index template of another program', () => {
    const open = () => openStores({ kind: 'elasticsearch', nodes: [server.url], prefix: `${prefix}-other` });
    const putTemplate = (template: object) => {
      const body = { index_patterns: [`${prefix}-other-*`], priority: 600, template };
      return ask('PUT', `_index_template/${prefix}-of-another`, body);
    };

    it('keep the source of documents, whatever it says of that', async () => {
      assert.equal((await putTemplate({ mappings: { _source: { enabled: false } } })).status, 200);
      const other = await open();
      try {
        await new SetRegistry(other.catalog, other.index).useBaseUrl('http://localhost:8080', false);
        assert.equal((await new SetRegistry(other.catalog, other.index).add({ slug: 'maps' })).slug, 'maps');
      } finally {
        await other.close();
      }
    });

    it('cannot be used where documents have no source, with what to do', async () => {
      await ask('PUT', `${prefix}-other-log-000001`, {
        mappings: { _source: { enabled: false }, _meta: { schema_version: SCHEMA_VERSION } },
        aliases: { [`${prefix}-other-log`]: {} },
      });
      const isRefused = (error: unknown) =>
        isTidemarkError(error, 'incompatible') &&
        /-other-\w+-000001 keeps no _source, .*: change the index template .* used for, or choose other names/.test(
          error.message,
        );
      await assert.rejects(open(), isRefused);
      await removeIndices(server.url, `${prefix}-other`);
      const { status } = await putTemplate({ settings: { 'index.mapping.source.mode': 'disabled' } });
      // Elasticsearch has this setting since version 8.17.
      if (status === 200) await assert.rejects(open(), isRefused);
    });
  });

  it('answer the queries of mappings/README.md', async () => {
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    const { id } = await sets.add({ slug: 'maps' });
    const state = { length: 5, mime: 'image/tiff', hashes: { 'sha-256': EMPTY_SHA_256 } };
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
    assert.deepEqual(found, [1, 3, 1, 1, 1, 3]);
  });

  it('find a resource and its change by each field that a query may name', async () => {
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    const { id } = await sets.add({ slug: 'maps' });
    const hashes = { md5: EMPTY_MD5, 'sha-256': EMPTY_SHA_256 };
    await stores.index.commit([upsert(id, 'a b', { length: 5, mime: 'image/tiff', lastmod: 1_486_124_700, hashes })]);
    await stores.index.summary(id);
    const values = {
      resource_set: 'maps',
      set: id,
      'location.value': 'a b',
      'location.type': 'rel_path',
      length: 5,
      md5: EMPTY_MD5,
      hash: `sha-256:${EMPTY_SHA_256}`,
      mime: 'image/tiff',
      lastmod: '2017-02-03T12:25:00Z',
    };
    for (const [field, value] of Object.entries(values)) {
      const query = { term: { [field]: value } };
      const runtime_mappings = SORTABLE.includes(field) ? {} : { [field]: { type: 'keyword' } };
      const aggs = { top: { terms: { field } } };
      const { status, body } = await ask('POST', `${prefix}/_search`, { query, runtime_mappings, aggs });
      assert.equal(status, 200, `${field}: ${JSON.stringify(body)}`);
      const { hits, aggregations } = body as Answer & { aggregations: { top: { buckets: readonly object[] } } };
      assert.equal(hits.total.value, 2, field);
      assert.equal(aggregations.top.buckets.length, 1, field);
    }
    for (const field of ['timestamp', 'datetime', 'lastmod']) {
      for (const gte of ['2016-02-03T12:25:00+0000', '2016-02-03T12:25:00.123456Z', '2016-02-03']) {
        const { status } = await ask('POST', `${prefix}/_search`, { query: { range: { [field]: { gte } } } });
        assert.equal(status, 200, `${field} ${gte}`);
      }
    }
  });

  it('show only what the source publishes under the alias of all, in later indices of changes too', async () => {
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    const ids: number[] = [];
    for (const slug of ['maps', 'texts', 'images']) {
      const { id } = await sets.add({ slug });
      await stores.index.commit([upsert(id, 'a'), upsert(id, 'b'), deletion(id, 'b')]);
      ids.push(id);
    }
    await stores.index.summary(ids[2]!);
    await Promise.all([sets.remove('maps'), sets.remove('images')]);
    await makeChangesIndex(cluster, new IndexNames(prefix), 2);

    const count = async (alias: string, query: object) =>
      ((await ask('POST', `${alias}/_search`, { query })).body as Answer).hits.total.value;
    for (const kind of ['resources', 'changes']) assert.ok((await count(`${prefix}-${kind}`, { match_all: {} })) >= 6);
    assert.equal(await count(prefix, { terms: { resource_set: ['maps', 'images'] } }), 0);
    assert.equal(await count(prefix, { term: { resource_set: 'texts' } }), 5);
    const { body } = await ask('GET', `_alias/${prefix}`);
    const filters = Object.values(body as Record<string, { aliases: Record<string, { filter?: object }> }>);
    assert.deepEqual(
      filters.map(({ aliases }) => aliases[prefix]!.filter),
      Array(3).fill({ bool: { must_not: [{ terms: { set: [ids[0], ids[2]] } }] } }),
    );
  });

  async function countBetween(kind: string, range: object): Promise<number> {
    const { body } = await ask('POST', `${prefix}-${kind}/_search`, { query: { range: { lastmod: range } } });
    return (body as Answer).hits.total.value;
  }

  async function ask(method: string, path: string, value?: object): Promise<{ status: number; body: unknown }> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/${path}`, {
      method,
      headers,
      ...(value && { body: JSON.stringify(value) }),
    });
    return { status: response.status, body: await response.json() };
  }
});
