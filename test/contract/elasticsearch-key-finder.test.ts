import assert from 'node:assert/strict';
import { keyOfPath, type ResourceKey } from '../../src/core/key.ts';
import { parseKeySearch } from '../../src/core/key-search.ts';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import { isSampleKey, resourceId, sortKeyOf } from '../../src/stores/elasticsearch/resource-documents.ts';
import { KeyFinder } from '../../src/stores/elasticsearch/search/elasticsearch-key-finder.ts';
import { ResourceReader } from '../../src/stores/elasticsearch/search/resource-reader.ts';
import type { ElasticsearchLocation } from '../../src/stores/locations.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import type { FoundResources } from '../../src/stores/resource-states.ts';
import { collect, shuffled, URL_PREFIX, upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';

const COUNT = 12_000;

describe('a search of keys on Elasticsearch', () => {
  const server = useElasticsearch();
  let location: ElasticsearchLocation;
  let cluster: Cluster;
  let stores: Stores;
  let sets: SetRegistry;

  before(async () => {
    location = { kind: 'elasticsearch', nodes: [server.url], prefix: uniquePrefix() };
    cluster = new Cluster(location);
    stores = await openStores(location);
    sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
  });

  after(async () => {
    await stores?.close();
    await cluster?.close();
    if (location !== undefined) await removeIndices(server.url, location.prefix);
  });

  it('finds each resource once, slice after slice', async () => {
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
      const search = part === '/1' ? ({ where: 'anywhere', texts: ['/1'] } as const) : parseKeySearch(part);
      const found = await findAll((after) => finder.find(id, search, { after, limit }));
      assert.deepEqual(found, expected.sort(), part);
    }
  });

  it('reads and searches keys that are cut where they have 2,000 characters in common', async () => {
    const { id } = await sets.add({ slug: 'long', urlPrefix: URL_PREFIX });
    const paths = pathsWithSampleKeys(id, `${'long-name/'.repeat(200)}`);
    await stores.index.commit(shuffled(paths).map((path) => upsert(id, path)));
    const keys = paths.map((path) => `/${path}`).sort();

    const names = new IndexNames(location.prefix);
    const resources = new ResourceReader(cluster, names);
    const finder = new KeyFinder({ cluster, names, resources, piecesAtFirst: 1 });
    const keysOf = (found: readonly { readonly key: string }[]) => found.map(({ key }) => key);
    assert.deepEqual(keysOf(await collect(stores.index.read(id, {}))), keys);
    for (const [from, to] of [
      [0, 1],
      [3, 9],
      [keys.length - 2, keys.length],
    ] as const) {
      const range = { from: keys[from], to: keys[to] };
      assert.deepEqual(keysOf(await collect(resources.read(id, range))), keys.slice(from, to));
    }
    for (const part of ['NAME/NAME', 'e/1', `${'long-name/'.repeat(11)}LONG-NAME/`, 'abcd', '-'.repeat(120)]) {
      const holding = keys.filter((key) => key.includes(part.toLowerCase()));
      const found = await findAll((after) => finder.find(id, parseKeySearch(part), { after, limit: 1_000 }));
      assert.deepEqual(found, holding, part);
    }
  });
});

/** The keys of all parts of a result: where a search takes long, each call finds a part. */
async function findAll(find: (after: ResourceKey | undefined) => Promise<FoundResources>): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: ResourceKey | undefined; ; ) {
    const { resources, next } = await find(after);
    found.push(...resources.map(({ key }) => key));
    if (next === undefined) return found;
    after = next;
  }
}

/** Paths with one beginning, some of which are sample keys: ranges of keys are cut there. */
function pathsWithSampleKeys(set: number, beginning: string): readonly string[] {
  const paths: string[] = [];
  for (let sampleKeys = 0, number = 0; sampleKeys < 4; number++) {
    const path = beginning + number;
    const isCut = isSampleKey(resourceId(sortKeyOf(set, keyOfPath(path))));
    if (isCut) sampleKeys += 1;
    if (isCut || number % 1_000 === 0) paths.push(path);
  }
  return paths;
}
