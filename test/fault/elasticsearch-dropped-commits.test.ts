import assert from 'node:assert/strict';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { collect, upsert } from '../support/builders.ts';
import { onElasticsearch, type StorePlace } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';

/** More than the last commits that stay, and than those that a process that is behind reads one by one. */
const COMMITS = 110;

/** What processes do that knew the log before commits were dropped. */
describe('old commits that are dropped from the log on Elasticsearch', () => {
  const elasticsearch = useElasticsearch();
  let place: StorePlace;
  let opened: Stores[];
  let writer: Stores;
  let maps: number;

  const open = async () => {
    const stores = await openStores(place.location);
    opened.push(stores);
    return stores;
  };

  beforeEach(async () => {
    place = onElasticsearch(elasticsearch).place('');
    opened = [];
    writer = await open();
    const sets = new SetRegistry(writer.catalog, writer.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    maps = (await sets.add({ slug: 'maps', urlPrefix: 'http://example.org/' })).id;
  });
  afterEach(async () => {
    for (const { close } of opened) await close();
    await place.dispose();
  });

  /** Commits, and drops all but the last ones. */
  const commitAndDrop = async () => {
    for (let round = 0; round < COMMITS; round++) await writer.index.commit([upsert(maps, 'a', { length: round })]);
    const { dropped } = await writer.index.dropCommits(await writer.index.watermark(), { olderThan: 0 });
    assert.ok(dropped > COMMITS - 70, `${dropped}`);
  };
  const log = async ({ index }: Stores) => collect(index.log({ after: 0 }));

  it('keep their numbers: a commit that comes late with one of them follows all others', async () => {
    const late = await open();
    // It knows the log up to here, and believes the next number to be free.
    await late.index.commit([upsert(maps, 'a', { length: 5_000 })]);
    await commitAndDrop();
    const [result] = await late.index.commit([upsert(maps, 'b')]);
    assert.equal(result!.status, 'applied');
    const [again] = await late.index.commit([upsert(maps, 'a', { length: COMMITS - 1 })]);
    assert.deepEqual(again, { status: 'unchanged', reason: 'same-state' });
    const changes = await log(writer);
    assert.equal(changes.length, COMMITS + 2);
    assert.equal(changes.at(-1)!.key, '/b');
    assert.deepEqual(await log(await open()), changes);
  });

  it('are not news to a reader that was away: it goes on from the pointer', async () => {
    const away = await open();
    await away.index.watermark();
    await commitAndDrop();
    assert.equal(await away.index.watermark(), await writer.index.watermark());
    const [current] = await away.index.lookup(maps, ['/a']);
    assert.equal(current?.state?.length, COMMITS - 1);
  });

  it('count as committed to the process that made them, when the answer was lost for so long', async () => {
    await commitAndDrop();
    // As in commit-log.ts: the same document under the same number once more.
    const cluster = new Cluster({ nodes: [elasticsearch.url] });
    const { log } = new IndexNames((place.location as { prefix: string }).prefix);
    try {
      const place = { index: log, id: '5' };
      const existing = await cluster.ask((client) => client.get<{ readonly changes: object }>(place));
      assert.deepEqual(existing._source?.changes, { rows: [], dropped: true });
      const again = { ...place, document: {} };
      const created = await cluster.ask((client) => client.create(again, { ignore: [409], meta: true }));
      assert.equal(created.statusCode, 409);
    } finally {
      await cluster.close();
    }
  });

  it('do not include those that are younger, not below the boundary, or not applied by every process', async () => {
    for (let round = 0; round < COMMITS; round++) await writer.index.commit([upsert(maps, 'a', { length: round })]);
    const until = await writer.index.watermark();
    assert.equal((await writer.index.dropCommits(until)).dropped, 0);
    assert.equal((await writer.index.dropCommits(1, { olderThan: 0 })).dropped, 0);
    const { dropped, total } = await writer.index.dropCommits(until, { olderThan: 0 });
    assert.ok(total <= COMMITS + 1 - 64 && dropped === total, `${dropped} of ${total}`);
  });

  it('take less room afterwards, and the store returns the same', async () => {
    const big = Array.from({ length: 400 }, (_, at) => `file-${at}`);
    for (let round = 0; round < 20; round++) {
      await writer.index.commit(big.map((path) => upsert(maps, path, { length: round })));
    }
    const before = await log(writer);
    await commitAndDrop();
    const cluster = new Cluster({ nodes: [elasticsearch.url] });
    const names = new IndexNames((place.location as { prefix: string }).prefix);
    try {
      const index = names.log;
      await cluster.ask((client) => client.indices.refresh({ index }));
      const all = await cluster.search<{ changes: { dropped?: true; zstd?: string } }>({ index, size: 100 });
      const full = all.filter(({ changes }) => changes.dropped !== true);
      // The large ones are the oldest.
      assert.ok(full.every(({ changes }) => changes.zstd === undefined));
    } finally {
      await cluster.close();
    }
    assert.deepEqual((await log(writer)).slice(0, before.length), before);
  });
});
