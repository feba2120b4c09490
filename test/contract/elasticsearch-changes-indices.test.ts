import assert from 'node:assert/strict';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import { ChangesIndices } from '../../src/stores/elasticsearch/shards/changes-indices.ts';
import type { ElasticsearchLocation } from '../../src/stores/locations.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { collect, URL_PREFIX, upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch, removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';

describe('the indices of changes', () => {
  const server = useElasticsearch();
  let location: ElasticsearchLocation;
  let cluster: Cluster;
  let names: IndexNames;
  let opened: Stores[];

  beforeEach(() => {
    location = { kind: 'elasticsearch', nodes: [server.url], prefix: uniquePrefix() };
    cluster = new Cluster(location);
    names = new IndexNames(location.prefix);
    opened = [];
  });

  afterEach(async () => {
    for (const { close } of opened) await close();
    await cluster.close();
    await removeIndices(server.url, location.prefix);
  });

  const open = async () => {
    const stores = await openStores(location);
    opened.push(stores);
    return stores;
  };

  it('are followed by another when the newest is large, and are read as one', async () => {
    const stores = await open();
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    const { id } = await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX });
    const commit = ({ index }: Stores, from: number) =>
      index.commit(Array.from({ length: 10 }, (_, at) => upsert(id, String(from + at))));
    await commit(stores, 0);
    await stores.index.watermark();

    const processes = [1, 2].map(() => new ChangesIndices(cluster, names, { documents: 10, bytes: 50e9 }));
    const chosen = await Promise.all(processes.map((indices) => indices.current()));
    assert.deepEqual(chosen, [names.changesIndex(2), names.changesIndex(2)]);

    // One that came before goes on with the index that it knows, and one that comes now takes the new one.
    await commit(stores, 10);
    const late = await open();
    await commit(late, 20);
    const changes = await collect(stores.index.changes(id, { after: 0 }));
    assert.deepEqual(
      changes.map(({ key }) => key),
      Array.from({ length: 30 }, (_, number) => `/${number}`),
    );
    const counts = [1, 2].map(async (number) => {
      const { count } = await askElasticsearch(server.url, 'GET', `${names.changesIndex(number)}/_count`);
      return count;
    });
    assert.deepEqual(await Promise.all(counts), [20, 10]);
  });
});
