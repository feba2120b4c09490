import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { growStore } from '../../src/backup/grow/grow-store.ts';
import { takeBack } from '../../src/backup/grow/take-back.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { describeStore, type StoreLocation } from '../../src/stores/locations.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { ArchiveBench, fillSource, readDocuments } from '../support/archived-source.ts';
import { collect, upsert } from '../support/builders.ts';
import { onElasticsearch, SQLITE, type StoreKind } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { until } from '../support/until.ts';

const isConflict = (error: unknown) => isTidemarkError(error, 'conflict');
const hasMoved = (error: unknown) => isTidemarkError(error, 'unavailable') && /has moved to/.test(error.message);

describe('a store that moves to another one', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());
  const KINDS = { SQLite: SQLITE, Elasticsearch: elasticsearch };
  type Name = keyof typeof KINDS;
  let bench: ArchiveBench;
  const opened: Stores[] = [];

  beforeEach(async () => {
    bench = await ArchiveBench.make();
  });
  afterEach(async () => {
    for (const stores of opened.splice(0)) await stores.close();
    await bench.close();
  });

  const named = async (location: StoreLocation) => {
    const stores = await openStores(location);
    opened.push(stores);
    return { stores, name: describeStore(location) };
  };

  async function grow(from: StoreLocation, to: StoreLocation, more: { readonly to?: Stores } = {}) {
    const target = await named(to);
    const source = await named(from);
    const signal = new AbortController().signal;
    return growStore({
      from: source,
      to: { ...target, stores: more.to ?? target.stores },
      artifacts: bench.artifacts,
      signal,
    });
  }

  const placeOf = async (kind: StoreKind) => (await bench.place(kind)).location;

  for (const [from, to] of [
    ['SQLite', 'Elasticsearch'],
    ['Elasticsearch', 'SQLite'],
  ] as const satisfies readonly (readonly [Name, Name])[]) {
    it(`publishes what it did before, byte for byte, from ${from} to ${to}; the old one is fenced (107)`, async () => {
      const [old, next] = [await placeOf(KINDS[from]), await placeOf(KINDS[to])];
      const app = await bench.open(old);
      await fillSource(app, () => bench.archive(app));
      await addMore(app);
      const published = await readDocuments(app);
      const { pauseMs } = await grow(old, next);
      assert.ok(pauseMs > 0 && pauseMs < 10_000, `${pauseMs} ms`);

      const made = await bench.open(next);
      assert.deepEqual(await readDocuments(made), published);
      await requireSame(app, made);
      // The new one goes on, and continues the archive; the old one does neither.
      const { id } = await made.sets.bySlug('maps');
      await made.index.commit([upsert(id, 'new')]);
      const { status } = await bench.archive(made);
      assert.equal(status, 'written');
      await assert.rejects(app.index.commit([upsert(id, 'old')]), hasMoved);
      await assert.rejects(
        bench.open(old),
        (error: Error) => hasMoved(error) && error.message.includes(describeStore(next)),
      );
      await assert.rejects(grow(old, next), /has moved to .* already: nothing is left to do/);
    });
  }

  async function addMore(app: App): Promise<void> {
    const { queue } = app.jobs;
    await queue.add('build', 'waits', { a: 1 }, { notBefore: Date.now() + 60_000 });
    await queue.add('build', 'runs', { b: 2 });
    const owned = await queue.claimer({ kinds: ['build'], worker: { name: 'one', leaseMs: 60_000 } }).claim();
    await owned!.putLog(['a line']);
    await app.catalog.put('subscription', 'one', { secret: 's' }, undefined);
    await app.catalog.put('journal', '1', { entries: [1] }, undefined);
  }

  async function requireSame(app: App, made: App): Promise<void> {
    const of = async ({ index, access: { tokens }, catalog, sets }: App) => ({
      log: await collect(index.log({ after: 0 })),
      orders: await collect(index.raisedOrders({ after: 0 })),
      positions: (await index.positions()).toSorted((a, b) => a.set - b.set || (a.source < b.source ? -1 : 1)),
      tokens: await tokens.list(),
      sets: await sets.list(),
      others: await Promise.all(
        (['subscription', 'journal', 'archive'] as const).map(async (kind) =>
          (await catalog.list(kind)).map(({ id, body }) => ({ id, body })),
        ),
      ),
    });
    assert.deepEqual(await of(made), await of(app));
    const { queue } = made.jobs;
    const jobs = await queue.list({ limit: 10 });
    assert.deepEqual(
      jobs
        .map(({ id, state, attempts, payload }) => ({ id, state, attempts, payload }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      [
        { id: 'runs', state: 'queued', attempts: 0, payload: { b: 2 } },
        { id: 'waits', state: 'queued', attempts: 0, payload: { a: 1 } },
      ],
    );
    assert.deepEqual(await queue.log('build/runs'), ['a line']);
  }

  for (const name of ['SQLite', 'Elasticsearch'] as const) {
    describe(`on ${name}`, () => {
      let old: StoreLocation;
      let next: StoreLocation;
      let app: App;
      let maps: number;

      beforeEach(async () => {
        [old, next] = [await placeOf(KINDS[name]), await placeOf(KINDS[name])];
        app = await bench.open(old);
        await app.sets.useBaseUrl('http://source.example.org', false);
        maps = (await app.sets.add({ slug: 'maps', urlPrefix: 'http://example.org/maps/' })).id;
        await app.index.commit([upsert(maps, 'a')]);
      });

      it('is opened by no other process before it is complete, and refuses another history', async () => {
        await app.jobs.queue.add('build', 'waits', {});
        const target = await named(next);
        // The first failure comes when all but the jobs is copied.
        const failing = { ...target.stores, jobs: undefined as never };
        await assert.rejects(grow(old, next, { to: failing }));
        await assert.rejects(bench.open(next), /is being filled by "tidemark grow"/);
        await assert.rejects(bench.rebuild(next), /was begun by "tidemark grow"/);
        const other = await placeOf(KINDS[name]);
        const otherApp = await bench.open(other);
        await otherApp.sets.useBaseUrl('http://other.example.org', false);
        await assert.rejects(grow(other, next), isConflict);
        await assert.rejects(grow(old, other), /is not empty/);
        await app.index.commit([upsert(maps, 'b')]);
        await grow(old, next);
        const made = await bench.open(next);
        assert.deepEqual(await collect(made.index.log({ after: 0 })), await collect(app.index.log({ after: 0 })));
      });

      it('goes on by itself when the pause runs out, and moves the next time; a set is removed in between', async () => {
        const { id: gone } = await app.sets.add({ slug: 'gone', urlPrefix: 'http://example.org/gone/' });
        await app.index.commit([upsert(gone, 'x')]);
        await app.sets.remove('gone');
        const source = await named(old);
        const target = await named(next);
        // It marks the store after the pause is over, and another process has written.
        const late: Stores = {
          ...source.stores,
          fence: {
            state: () => source.stores.fence.state(),
            pause: () => source.stores.fence.pause(4_000),
            release: (pause) => source.stores.fence.release(pause),
            takeBack: () => source.stores.fence.takeBack(),
            move: async (pause, to) => {
              await until('a write', () =>
                app.index.commit([upsert(maps, 'late')]).then(
                  () => true,
                  () => false,
                ),
              );
              return source.stores.fence.move(pause, to);
            },
          },
        };
        const signal = new AbortController().signal;
        const input = { from: { ...source, stores: late }, to: target, artifacts: bench.artifacts, signal };
        await assert.rejects(
          growStore(input),
          (error) => isTidemarkError(error, 'unavailable') && /goes on as before/.test(error.message),
        );
        await app.index.commit([upsert(maps, 'later')]);
        await growStore({ ...input, from: source });
        const made = await bench.open(next);
        const keys = (await collect(made.index.log({ after: 0 }))).map(({ key }) => key);
        assert.deepEqual(keys, ['/a', '/x', '/late', '/later']);
        assert.deepEqual(
          (await made.sets.list()).map(({ slug }) => slug),
          ['maps'],
        );
        assert.deepEqual(made.sets.knownRemoved(), [gone]);
      });

      it('is used again after a take-back, unless the new one has something newer', async () => {
        await grow(old, next);
        const stores = async () => ({ old: await named(old), current: await named(next) });
        const made = await bench.open(next);
        const token = await made.access.tokens.create({ name: 'new', scopes: ['post:*'] });
        await assert.rejects(
          takeBack(await stores()),
          (error: Error) => isConflict(error) && /other documents \(token/.test(error.message),
        );
        assert.ok(token);
        await made.index.commit([upsert(maps, 'newer')]);
        await assert.rejects(takeBack(await stores()), /its log has changes after the move/);
        await assert.rejects(app.index.commit([upsert(maps, 'b')]), hasMoved);

        // A store that was moved on goes back with all of it.
        const third = await placeOf(KINDS[name]);
        await grow(next, third);
        await takeBack({ old: await named(next), current: await named(third) });
        const back = await bench.open(next);
        await back.index.commit([upsert(maps, 'after')]);
        await assert.rejects(bench.open(third), hasMoved);
        const again = { old: await named(next), current: await named(third) };
        await assert.rejects(takeBack(again), /has not moved to/);
      });
    });
  }
});
