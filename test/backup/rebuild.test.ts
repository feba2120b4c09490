import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { App } from '../../src/app.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { clockStamp } from '../../src/core/stamp.ts';
import type { SqliteLocation } from '../../src/stores/locations.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import type { ResourceIndex } from '../../src/stores/resource-index.ts';
import { ArchiveBench, fillSource, readDocuments, URL_OF_SETS } from '../support/archived-source.ts';
import { collect, upsert } from '../support/builders.ts';
import { describeOnEachStore, onElasticsearch, SQLITE, type StoreKind } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';

describe('a store that is rebuilt from its archive', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());

  for (const [from, name] of [
    [SQLITE, 'SQLite'],
    [elasticsearch, 'Elasticsearch'],
  ] as const) {
    describe(`from ${name}`, () => publishesTheSame(from));
  }

  function publishesTheSame(from: StoreKind): void {
    let bench: ArchiveBench;
    let old: App;
    let published: ReadonlyMap<string, string>;

    before(async () => {
      bench = await ArchiveBench.make();
      old = await bench.open((await bench.place(from)).location);
      await fillSource(old, () => bench.archive(old));
      published = await readDocuments(old);
      await bench.archive(old);
    });
    after(() => bench.close());

    for (const [to, name] of [
      [SQLITE, 'SQLite'],
      [elasticsearch, 'Elasticsearch'],
    ] as const) {
      it(`publishes what it did before, byte for byte, on ${name}`, async () => {
        const { location } = await bench.place(to);
        const { segments } = await bench.rebuild(location);
        assert.ok(segments > 2);
        const made = await bench.open(location);
        const after = await readDocuments(made);
        assert.ok(published.size > 30, `${published.size} documents`);
        assert.deepEqual([...after.keys()], [...published.keys()]);
        for (const [name, text] of published) assert.equal(after.get(name), text, name);
        await requireSameStore(old, made);
      });
    }
  }
});

describe('rebuilding a store from an archive', () => {
  let bench: ArchiveBench;
  let old: App;
  let maps: number;

  beforeEach(async () => {
    bench = await ArchiveBench.make();
    old = await bench.open((await bench.place(SQLITE)).location);
    await old.sets.useBaseUrl('http://source.example.org', false);
    maps = (await old.sets.add({ slug: 'maps', urlPrefix: URL_OF_SETS })).id;
    for (let round = 0; round < 3; round++) {
      await old.index.commit([upsert(maps, 'a', { length: round }), upsert(maps, `b${round}`)]);
      await bench.archive(old);
    }
  });
  afterEach(() => bench.close());

  it('continues after it was stopped; no process can open the store before it is complete', async () => {
    const { location } = await bench.place(SQLITE);
    const stop = new AbortController();
    const stopped = bench.rebuild(location, { signal: stop.signal, onProgress: () => stop.abort() });
    await assert.rejects(stopped, { name: 'AbortError' });
    await assert.rejects(bench.open(location), (error) => isTidemarkError(error, 'unavailable'));

    const { changes } = await bench.rebuild(location);
    assert.equal(changes, 6);
    const made = await bench.open(location);
    assert.deepEqual(await collect(made.index.log({ after: 0 })), await collect(old.index.log({ after: 0 })));
  });

  it('makes the same store when two processes do so at once', async () => {
    const { location } = await bench.place(SQLITE);
    await Promise.allSettled([bench.rebuild(location), bench.rebuild(location)]);
    await bench.rebuild(location).catch((error: unknown) => assert.ok(isTidemarkError(error, 'conflict')));
    const made = await bench.open(location);
    assert.deepEqual(await collect(made.index.log({ after: 0 })), await collect(old.index.log({ after: 0 })));
  });

  it('refuses a store that holds something', async () => {
    const { location } = await bench.place(SQLITE);
    const other = await bench.open(location);
    await other.sets.useBaseUrl('http://other.example.org', false);
    await assert.rejects(bench.rebuild(location), /is not empty/);
    await assert.rejects(bench.rebuild(old.configuration.store), /is not empty/);
    assert.equal((await old.index.summary(maps)).changes, 6);
  });

  it('is followed by the next segment of the same archive, which the new store writes', async () => {
    const { location } = await bench.place(SQLITE);
    await bench.rebuild(location);
    const made = await bench.open(location);
    assert.equal((await bench.archive(made)).status, 'nothing-new');
    await made.index.commit([upsert(maps, 'c')]);
    const { mark } = await bench.archive(made);
    assert.deepEqual([mark?.number, mark?.total], [4, 7]);
    // The store that it was made of has another history from here on.
    await old.index.commit([upsert(maps, 'd')]);
    await assert.rejects(bench.archive(old), (error) => isTidemarkError(error, 'conflict'));
  });

  for (const [what, damage, message] of [
    ['a change', 'UPDATE changes SET weight = weight + 1', /segment 1 of its log is another one/],
    ['a count', 'UPDATE summaries SET resources = resources + 1', /the set "maps" counts/],
  ] as const) {
    it(`refuses a store in which ${what} differs from the archive, and no process can use that store`, async () => {
      const { location } = await bench.place(SQLITE);
      const { file } = location as SqliteLocation;
      const rebuilding = bench.rebuild(location, {
        onProgress({ step, done, total }) {
          if (step !== 'replaying' || done < total) return;
          using database = new DatabaseSync(file);
          assert.notEqual(database.prepare(damage).run().changes, 0);
        },
      });
      await assert.rejects(
        rebuilding,
        (error: Error) => isTidemarkError(error, 'invalid') && message.test(error.message),
      );
      await assert.rejects(bench.open(location), (error) => isTidemarkError(error, 'unavailable'));
    });
  }

  it('gives the next change a time above every boundary that the archive knows', async () => {
    await old.sets.renew('maps');
    const boundary = await old.index.watermark();
    assert.equal((await bench.archive(old)).mark?.through, boundary);
    const { location } = await bench.place(SQLITE);
    await bench.rebuild(location);
    const made = await bench.open(location);
    assert.ok((await made.index.watermark()) >= boundary);
    assert.equal((await bench.archive(made)).status, 'nothing-new');
  });

  it('begins a new history of every set when changes were lost', async () => {
    await old.index.commit([upsert(maps, 'lost')]);
    const { location } = await bench.place(SQLITE);
    const { sets } = await bench.rebuild(location, { renew: true });
    const made = await bench.open(location);
    const set = await made.sets.bySlug('maps');
    assert.deepEqual(sets, [{ set: 'maps', epoch: set.epoch }]);
    assert.ok(set.epoch > 1_000);
    assert.ok(set.epochStart > (await old.index.watermark()));
  });

  it('is refused while the archive goes up to a time that has not come yet', async () => {
    await old.index.commit([upsert(maps, 'c')]);
    setLastStamp(clockStamp(Date.now() + 3_600_000));
    await bench.archive(old);
    const { location } = await bench.place(SQLITE);
    await assert.rejects(bench.rebuild(location), (error) => {
      return isTidemarkError(error, 'unavailable') && /has not come yet by this machine's clock/.test(error.message);
    });
    // Nothing was written.
    const other = await bench.open(location);
    assert.deepEqual(await other.sets.list(), []);
  });

  it('says so when there is no archive, and makes no store', async () => {
    const empty = await ArchiveBench.make();
    try {
      const { location } = await empty.place(SQLITE);
      await assert.rejects(empty.rebuild(location), (error) => isTidemarkError(error, 'not-found'));
    } finally {
      await empty.close();
    }
  });

  /** As it is when the clock was ahead for a while. */
  function setLastStamp(stamp: number): void {
    const { file } = old.configuration.store as SqliteLocation;
    const database = new DatabaseSync(file);
    database.prepare(`UPDATE settings SET value = ? WHERE name = 'last_stamp'`).run(stamp);
    database.close();
  }
});

describeOnEachStore('a rebuild that is stopped', (kind, itOnce) => {
  let bench: ArchiveBench;
  let old: App;
  let maps: number;
  let gone: number;

  beforeEach(async () => {
    bench = await ArchiveBench.make();
    old = await bench.open((await bench.place(kind)).location);
    await old.sets.useBaseUrl('http://source.example.org', false);
    maps = (await old.sets.add({ slug: 'maps', urlPrefix: `${URL_OF_SETS}maps/` })).id;
    gone = (await old.sets.add({ slug: 'gone', urlPrefix: `${URL_OF_SETS}gone/` })).id;
    await old.index.commit([upsert(maps, 'a'), { ...upsert(gone, 'x'), order: 1 }]);
  });
  afterEach(() => bench.close());

  /** Rebuilds a store with a stop after each call of its ports, and opens it. */
  const rebuildWithStops = async (more: { readonly renew?: boolean } = {}): Promise<App> => {
    const { location } = await bench.place(kind);
    const stores = await openStores(location);
    const answered = new Set<string>();
    let message = 'stopped';
    try {
      while (message === 'stopped') {
        const { stopping, finished } = stoppedAtNewCall(stores, answered);
        const attempt = bench.rebuild(location, { stores: stopping, ...more }).finally(finished);
        message = await attempt.then(
          () => 'complete',
          (error: Error) => error.message,
        );
      }
    } finally {
      await stores.close();
    }
    // The last stop came when the store was complete.
    assert.match(message, /is not empty/);
    assert.ok(answered.size > 15, [...answered].join('\n'));
    return bench.open(location);
  };

  for (const [what, prepare] of [
    ['in the last segment', async () => {}],
    [
      'and whose orders rose in an earlier segment',
      async () => {
        await old.index.commit([{ ...upsert(gone, 'x'), order: 2 }]);
        await bench.archive(old);
        await old.index.commit([upsert(maps, 'b')]);
      },
    ],
  ] as const) {
    it(`continues after any step, with a removed set that changed ${what}`, async () => {
      await prepare();
      await old.sets.remove('gone');
      await bench.archive(old);
      const made = await rebuildWithStops();
      assert.deepEqual(await collect(made.index.log({ after: 0 })), await collect(old.index.log({ after: 0 })));
      assert.deepEqual(await made.sets.list(), await old.sets.list());
      assert.deepEqual(made.sets.knownRemoved(), [gone]);
    });
  }

  itOnce('continues while new epochs begin, which correct keys', async () => {
    await old.index.commit([{ ...upsert(maps, 'c'), key: `${URL_OF_SETS}maps/c` }]);
    const { mark } = await bench.archive(old);
    const made = await rebuildWithStops({ renew: true });
    const keys = (await collect(made.index.read(maps, {}))).map(({ key }) => key);
    assert.deepEqual(keys, ['/a', '/c']);
    const [archived, before] = [made, old].map(({ index }) => collect(index.log({ after: 0, until: mark!.through })));
    assert.deepEqual(await archived, await before);
    for (const { slug, epoch, ready } of await made.sets.list()) assert.ok(epoch > 1_000 && ready, slug);
  });

  it('is completed by another process, though that marks the removed set while this one records its changes', async () => {
    await old.sets.remove('gone');
    await bench.archive(old);
    const { location } = await bench.place(kind);
    const [stores, other] = [await openStores(location), await openStores(location)];
    let isOvertaken = false;
    const overtaken = new Proxy(stores.index, {
      get(target, name: keyof ResourceIndex) {
        if (name !== 'replay') return target[name].bind(target);
        return async (changes: Parameters<ResourceIndex['replay']>[0]) => {
          if (!isOvertaken) {
            isOvertaken = true;
            // It stops while it compares: all is replayed, and the set is marked as removed.
            const onProgress = ({ step }: { step: string }) => {
              if (step === 'comparing') throw new Error('stopped');
            };
            await assert.rejects(bench.rebuild(location, { stores: other, onProgress }), /stopped/);
          }
          return target.replay(changes);
        };
      },
    });
    try {
      const { changes } = await bench.rebuild(location, { stores: { ...stores, index: overtaken } });
      assert.equal(changes, 2);
    } finally {
      await stores.close();
      await other.close();
    }
    const made = await bench.open(location);
    assert.deepEqual(await collect(made.index.log({ after: 0 })), await collect(old.index.log({ after: 0 })));
  });
});

/** The same stores, but the first call that is not among those answered before fails, after it has taken effect. */
function stoppedAtNewCall({ index, catalog }: Pick<Stores, 'index' | 'catalog'>, answered: Set<string>) {
  const results: unknown[] = [];
  let isStopped = false;
  const stop = () => {
    throw new Error('stopped');
  };
  const wrap = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const value = Reflect.get(target, name) as (...values: unknown[]) => unknown;
        return (...values: unknown[]) => {
          // Without versions, stamps and epochs, which are others in each attempt.
          const lasting = values.filter((value) => typeof value !== 'number');
          const call = `${String(name)} ${JSON.stringify(lasting).replaceAll(/\d{6,}/g, '#')}`;
          const result: unknown = value.apply(target, values);
          results.push(result);
          if (isStopped || answered.has(call)) return result;
          isStopped = true;
          answered.add(call);
          return result instanceof Promise ? result.then(stop) : stop();
        };
      },
    });
  return { stopping: { index: wrap(index), catalog: wrap(catalog) }, finished: () => Promise.allSettled(results) };
}

/** What is in the store besides what is published: history, tombstones, positions, tokens, and what comes next. */
async function requireSameStore(old: App, made: App): Promise<void> {
  const of = async ({ index, sets, access: { tokens }, gauge, catalog }: App) => ({
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
