import assert from 'node:assert/strict';
import { isTidemarkError } from '../../src/domain/errors.ts';
import { ArchiveBench, fillSource, readDocuments } from '../support/archived-source.ts';
import { collect, upsert } from '../support/builders.ts';
import { onElasticsearch, SQLITE, type StoreKind } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';

const NAMES: Readonly<Record<StoreKind['kind'], string>> = { sqlite: 'SQLite', elasticsearch: 'Elasticsearch' };

describe('a store that is made again of its archive', function () {
  this.timeout(60_000);
  let bench: ArchiveBench;

  beforeEach(async () => {
    bench = await ArchiveBench.make();
  });
  afterEach(() => bench.close());

  const tests = (from: StoreKind, to: StoreKind) => {
    it(`publishes what it did before, byte for byte, from ${NAMES[from.kind]} to ${NAMES[to.kind]}`, async () => {
      const old = await bench.open((await bench.place(from)).location);
      await fillSource(old);
      const before = await readDocuments(old);
      await bench.archive(old);

      const { location } = await bench.place(to);
      await bench.rebuild(location);
      const made = await bench.open(location);
      const after = await readDocuments(made);
      assert.ok(before.size > 30, `${before.size} documents`);
      assert.deepEqual([...after.keys()], [...before.keys()]);
      for (const [name, text] of before) assert.equal(after.get(name), text, name);
      await requireSameStore(old, made);
    });
  };

  tests(SQLITE, SQLITE);
  describe('with Elasticsearch', () => {
    const elasticsearch = onElasticsearch(useElasticsearch());
    tests(SQLITE, elasticsearch);
    tests(elasticsearch, elasticsearch);
    tests(elasticsearch, SQLITE);
  });
});

type App = Awaited<ReturnType<ArchiveBench['open']>>;

/** What is in the store besides what is published: history, tombstones, positions, tokens, and what comes next. */
async function requireSameStore(old: App, made: App): Promise<void> {
  const of = async ({ index, sets, tokens, gauge, catalog }: App) => ({
    log: await collect(index.log({ after: 0 })),
    positions: (await index.positions()).map((each) => JSON.stringify(each)).sort(),
    sets: await sets.list(),
    removed: sets.knownRemoved(),
    tokens: await tokens.list(),
    totals: await gauge.totals([]),
    archive: (await catalog.get('archive', 'archive'))?.body,
    states: await Promise.all((await sets.list()).map(({ id }) => collect(index.read(id, { tombstones: true })))),
    history: await index.history(1, '/k4', { limit: 10 }),
  });
  assert.deepEqual(await of(made), await of(old));

  const [repeated] = await made.index.commit([{ ...upsert(1, 'k4', { length: 5 }), source: 'h', position: 11 }]);
  assert.deepEqual(repeated, { status: 'unchanged', reason: 'repeated' });
  const [next] = await made.index.commit([upsert(1, 'k4', { length: 6 })]);
  assert.ok(next!.status === 'applied' && next!.stamp > (await old.index.watermark()));
  await assert.rejects(made.sets.add({ slug: 'gone' }), (error) => isTidemarkError(error, 'conflict'));
}
