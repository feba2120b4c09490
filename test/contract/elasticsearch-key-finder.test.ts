import assert from 'node:assert/strict';
import type { ElasticsearchLocation } from '../../src/config/configuration.ts';
import { parseKeySearch } from '../../src/domain/key-search.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { Cluster } from '../../src/stores/elasticsearch/cluster.ts';
import { KeyFinder } from '../../src/stores/elasticsearch/key-finder.ts';
import { ResourceReader } from '../../src/stores/elasticsearch/resource-reader.ts';
import { IndexNames } from '../../src/stores/elasticsearch/schema.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { shuffled, URL_PREFIX, upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';

const COUNT = 12_000;

describe('a search of keys on Elasticsearch', () => {
  const server = useElasticsearch();
  let location: ElasticsearchLocation;
  let cluster: Cluster;
  let stores: Stores;

  before(() => {
    location = { kind: 'elasticsearch', nodes: [server.url], prefix: uniquePrefix() };
    cluster = new Cluster(location);
  });

  after(async () => {
    await stores?.close();
    await cluster?.close();
    if (location !== undefined) await removeIndices(server.url, location.prefix);
  });

  it('finds each resource once, slice after slice', async () => {
    stores = await openStores(location);
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    const [before, { id }, behind] = [
      await sets.add({ slug: 'before', urlPrefix: URL_PREFIX }),
      await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX }),
      await sets.add({ slug: 'behind', urlPrefix: URL_PREFIX }),
    ];
    // Some names are the beginnings of others, where slices are cut.
    const paths = Array.from({ length: COUNT }, (_, number) => `r/${number.toString(7)}`);
    for (let start = 0; start < COUNT; start += 4_000) {
      const events = shuffled(paths.slice(start, start + 4_000)).map((path) => upsert(id, path));
      await stores.index.commit([upsert(before.id, `r/${start}`), ...events, upsert(behind.id, `r/${start}`)]);
    }
    await stores.index.watermark();

    const names = new IndexNames(location.prefix);
    const resources = new ResourceReader(cluster, names);
    const finder = new KeyFinder({ cluster, names, resources, piecesAtFirst: 1 });
    let pieces = 0;
    for await (const _ of resources.pieces(id, {})) pieces += 1;
    assert.ok(pieces > 2, `${pieces} pieces`);
    for (const [part, limit] of [
      ['66', 300],
      ['/1', 3_000],
      ['0606', 3],
      ['R/', 10_000],
    ] as const) {
      const expected = paths.map((path) => `/${path}`).filter((key) => key.includes(part.toLowerCase()));
      const found: string[] = [];
      for (let after: string | undefined; ; ) {
        const search = part === '/1' ? ({ where: 'anywhere', texts: ['/1'] } as const) : parseKeySearch(part);
        const { resources: some, next } = await finder.find(id, search, { after, limit });
        found.push(...some.map(({ key }) => key));
        if (next === undefined) break;
        after = next;
      }
      assert.deepEqual(found, expected.sort(), part);
    }
  });
});
