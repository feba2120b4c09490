import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import { ChangesIndices } from '../../src/stores/elasticsearch/shards/changes-indices.ts';
import type { ElasticsearchLocation } from '../../src/stores/locations.ts';
import { openStores, reshardStore, type Stores } from '../../src/stores/open-stores.ts';
import { collect, deletion, URL_PREFIX, upsert } from '../support/builders.ts';
import { onElasticsearch } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch, removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';
import { resourceStatesContract } from './resource-states.ts';
import { setStatisticsContract } from './set-statistics.ts';

describe('stores on Elasticsearch with several shards', () => {
  const server = useElasticsearch();
  const three = onElasticsearch(server, 3);

  async function start() {
    const { location, dispose } = three.place('', { mayBeMade: true });
    return { open: () => openStores(location), dispose };
  }

  describe('the states of resources', () => resourceStatesContract(start));
  describe('the statistics of sets', () => setStatisticsContract(start));
});

describe('the shards of indices', () => {
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

  const open = async (shards?: number) => {
    const stores = await openStores({ ...location, ...(shards !== undefined && { shards }) });
    opened.push(stores);
    return stores;
  };
  const putTemplate = (priority: number, settings: object) => {
    const body = { index_patterns: [`${location.prefix}-*`], priority, template: { settings } };
    return askElasticsearch(server.url, 'PUT', `_index_template/${location.prefix}-of-another`, body);
  };
  /** By the kind of the index and its number: `resources-000001`. */
  const shardsOf = async ({ gauge }: Stores) => {
    const indices = await gauge.indices();
    return Object.fromEntries(indices.map(({ name, shards }) => [name.slice(location.prefix.length + 1), shards]));
  };
  const ONE_OF_EACH = Object.fromEntries(
    ['catalog', 'changes', 'jobs', 'ledgers', 'log', 'resources'].map((kind) => [`${kind}-000001`, 1]),
  );
  async function addSet({ catalog, index }: Stores): Promise<number> {
    const sets = new SetRegistry(catalog, index);
    await sets.useBaseUrl('http://localhost:8080', false);
    return (await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX })).id;
  }
  /** Posts a resource, changes it, and deletes another. */
  async function fill(stores: Stores): Promise<number> {
    const id = await addSet(stores);
    const { index } = stores;
    await index.commit(Array.from({ length: 50 }, (_, number) => upsert(id, String(number))));
    await index.commit([upsert(id, '7', { length: 5 }), deletion(id, '8')]);
    await index.watermark();
    return id;
  }

  it('are one by default, and as many as the setting says for resources and changes', async () => {
    assert.deepEqual(await shardsOf(await open()), ONE_OF_EACH);
    await opened.pop()!.close();
    await removeIndices(server.url, location.prefix);
    assert.deepEqual(await shardsOf(await open(3)), { ...ONE_OF_EACH, 'resources-000001': 3, 'changes-000001': 3 });
  });

  it('stay as they are in a store that exists, whatever the setting says', async () => {
    await open(2);
    assert.deepEqual(await shardsOf(await open(5)), { ...ONE_OF_EACH, 'resources-000001': 2, 'changes-000001': 2 });
  });

  for (const priority of [0, 600]) {
    it(`and replicas are those of a template of the operator with the priority ${priority}`, async () => {
      await putTemplate(priority, { number_of_shards: 3, number_of_replicas: 0, max_result_window: 10 });
      const stores = await open(2);
      assert.deepEqual(await shardsOf(stores), Object.fromEntries(Object.keys(ONE_OF_EACH).map((name) => [name, 3])));
      const settings = await askElasticsearch(server.url, 'GET', `${names.resources}/_settings?flat_settings=true`);
      const [index] = Object.values(settings) as { readonly settings: Record<string, string> }[];
      assert.equal(index!.settings['index.auto_expand_replicas'] ?? 'false', 'false');
      assert.equal(index!.settings['index.max_result_window'], '50000', 'what searches need is not the template’s');
      const id = await fill(stores);
      assert.equal((await stores.index.summary(id)).resources, 49);
    });
  }

  it('are listed with documents and bytes', async () => {
    const stores = await open(2);
    await fill(stores);
    await askElasticsearch(server.url, 'POST', `${location.prefix}-*/_flush`);
    const indices = await stores.gauge.indices();
    const resources = indices.find(({ name }) => name === `${names.resources}-000001`)!;
    assert.deepEqual(
      { ...resources, bytes: 0 },
      { name: `${names.resources}-000001`, shards: 2, replicas: 0, documents: 50, bytes: 0 },
    );
    assert.ok(resources.bytes > 1_000, String(resources.bytes));
  });

  it('of changes are followed by another index when one has enough documents or bytes', async () => {
    const stores = await open(2);
    await fill(stores);
    await askElasticsearch(server.url, 'POST', `${names.changes}/_flush`);
    const next = (documents: number, bytes: number) =>
      new ChangesIndices(cluster, names, { documents, bytes }).current();
    // Of 52 changes, the larger shard has 26 at least, and not all.
    assert.equal(await next(52, 50e9), names.changesIndex(1));
    assert.equal(await next(1_000, 1e6), names.changesIndex(1));
    assert.equal(await next(26, 50e9), names.changesIndex(2));
    await reshardStore(location, 4);
    // The statistics of a new index may lack at first.
    await wait(1);
    await askElasticsearch(server.url, 'POST', `${names.changesIndex(2)}/_flush`);
    assert.equal(await next(1_000, 1), names.changesIndex(3));
    const shards = await shardsOf(stores);
    assert.deepEqual([shards['changes-000002'], shards['changes-000003'], shards['resources-000002']], [2, 4, 4]);
  });

  it('of changes are read as one when another index follows the newest', async () => {
    const stores = await open();
    const id = await addSet(stores);
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
