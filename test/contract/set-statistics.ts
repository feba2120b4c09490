import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../src/core/change.ts';
import { entryWeight } from '../../src/core/entry-weight.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import type { CommitResult } from '../../src/stores/commit-result.ts';
import { collect, deletion, URL_PREFIX, upsert } from '../support/builders.ts';
import { type StartStores, TwoSets } from '../support/two-sets.ts';

const HOUR = 3_600_000_000;

/** What every store promises of statistics, histories and newest changes of sets. */
export function setStatisticsContract(start: StartStores): void {
  // Below the times of the histories that tests take over.
  const two = new TwoSets(start, 1_000_001);

  const isNotFound = (error: unknown) => isTidemarkError(error, 'not-found');
  function elsewhere(uri: string, state: ChangeEvent['state'] = { length: 1 }): ChangeEvent {
    return { set: two.maps, key: uri, state, weight: entryWeight(URL_PREFIX, uri, state) };
  }

  it('sums up a set', async () => {
    const results = await two.stores.index.commit([
      upsert(two.maps, 'a'),
      upsert(two.maps, 'b'),
      upsert(two.maps, 'b', {}),
      deletion(two.maps, 'a'),
    ]);
    const lastChange = appliedOf(results).at(-1)!.stamp;
    assert.deepEqual(await two.stores.index.summary(two.maps), { resources: 1, changes: 4, lastChange });
    const none = { resources: 0, changes: 0, lastChange: 0 };
    assert.deepEqual(await two.stores.index.summary(two.texts), none);
    assert.deepEqual(await two.stores.index.summaries([two.texts, 999, two.maps]), [
      none,
      undefined,
      { resources: 1, changes: 4, lastChange },
    ]);
    await new SetRegistry(two.stores.catalog, two.stores.index).remove('texts');
    assert.deepEqual(await two.stores.index.summaries([two.texts]), [undefined]);
  });

  it('counts no event that only moves a position, or raises an order', async () => {
    const { index } = two.stores;
    const results = await index.commit([upsert(two.maps, 'a')]);
    const summary = { resources: 1, changes: 1, lastChange: appliedOf(results)[0]!.stamp };
    await index.commit([{ ...deletion(two.maps, 'none'), source: 'harvester', position: 1 }]);
    assert.deepEqual(await index.summary(two.maps), summary);
    await index.commit([{ ...upsert(two.maps, 'a'), order: 1 }]);
    assert.deepEqual(await index.summary(two.maps), summary);
  });

  describe('latest', () => {
    it('returns the newest changes first, and goes on to the oldest', async () => {
      await two.stores.index.commit(['a', 'b', 'c'].map((path) => upsert(two.maps, path)));
      await two.stores.index.commit([
        upsert(two.texts, 'x'),
        deletion(two.maps, 'b'),
        upsert(two.maps, 'c', { length: 2 }),
      ]);
      const all = (await collect(two.stores.index.changes(two.maps, { after: 0 }))).toReversed();
      assert.deepEqual(await two.stores.index.latest(two.maps, { limit: 100 }), all);
      const paged: typeof all = [];
      for (let before: number | undefined; ; before = paged.at(-1)!.stamp - 1) {
        const changes = await two.stores.index.latest(two.maps, { before, limit: 2 });
        paged.push(...changes);
        if (changes.length < 2) break;
      }
      assert.deepEqual(paged, all);
      assert.deepEqual(
        await two.stores.index.latest(two.maps, { after: all[2]!.stamp + 1, limit: 9 }),
        all.slice(0, 2),
      );
    });

    it('returns more than one batch of them', async () => {
      await two.stores.index.commit(Array.from({ length: 1_200 }, (_, number) => upsert(two.maps, `file-${number}`)));
      const changes = await two.stores.index.latest(two.maps, { limit: 1_100 });
      const expected = Array.from({ length: 1_100 }, (_, at) => `/file-${1_199 - at}`);
      assert.deepEqual(
        changes.map(({ key }) => key),
        expected,
      );
    });
  });

  describe('history', () => {
    it('returns the history of one resource, newest first', async () => {
      await two.stores.index.commit([upsert(two.maps, 'a'), upsert(two.maps, 'b'), upsert(two.texts, 'a')]);
      await two.stores.index.commit([
        upsert(two.maps, 'a', { length: 2 }),
        deletion(two.maps, 'b'),
        deletion(two.maps, 'a'),
      ]);
      await two.stores.index.commit([upsert(two.maps, 'a', { length: 3 }), upsert(two.maps, 'a', { length: 4 })]);
      const all = (await collect(two.stores.index.changes(two.maps, { after: 0 }))).filter(({ key }) => key === '/a');
      assert.equal(all.length, 5);
      assert.deepEqual(await two.stores.index.history(two.maps, '/a', { limit: 10 }), all.toReversed());
      assert.deepEqual(
        (await two.stores.index.history(two.maps, '/b', { limit: 10 })).map(({ kind }) => kind),
        ['deleted', 'created'],
      );
      assert.deepEqual(await two.stores.index.history(two.maps, '/none', { limit: 10 }), []);
    });

    it('goes on from a change, and from any boundary', async () => {
      for (let length = 1; length <= 7; length++) {
        await two.stores.index.commit([upsert(two.maps, 'a', { length }), upsert(two.maps, `other-${length}`)]);
      }
      const lengths = async (before: number | undefined, limit: number) =>
        (await two.stores.index.history(two.maps, '/a', { before, limit })).map(({ state }) => state!.length);
      const all = await two.stores.index.history(two.maps, '/a', { limit: 10 });
      assert.deepEqual(await lengths(all[1]!.stamp - 1, 3), [5, 4, 3]);
      // Beside a change of another resource.
      assert.deepEqual(await lengths(all[1]!.stamp + 3, 3), [6, 5, 4]);
      assert.deepEqual(await lengths(all.at(-1)!.stamp - 1, 3), []);
      assert.deepEqual(await lengths(undefined, 1), [7]);
    });

    it('distinguishes a path and a URI with the same text', async () => {
      await two.stores.index.commit([
        upsert(two.maps, 'urn:example:thing', { length: 1 }),
        elsewhere('urn:example:thing', { length: 2 }),
        upsert(two.maps, 'urn:example:thing', { length: 3 }),
      ]);
      const lengths = async (key: string, limit: number) =>
        (await two.stores.index.history(two.maps, key, { limit })).map(({ state }) => state!.length);
      assert.deepEqual(await lengths('/urn:example:thing', 10), [3, 1]);
      assert.deepEqual(await lengths('/urn:example:thing', 2), [3, 1]);
      assert.deepEqual(await lengths('urn:example:thing', 1), [2]);
    });
  });

  describe('activity', () => {
    it('counts the changes of each hour and day by kind', async () => {
      // In a store that has not come further, changes get the times at which they happened.
      const fresh = await start();
      const { index, catalog, close } = await fresh.open();
      try {
        const sets = new SetRegistry(catalog, index);
        await sets.useBaseUrl('http://localhost:8080', false);
        const day = Date.UTC(2017, 1, 3) * 1000;
        const { id } = await sets.add({ slug: 'old', urlPrefix: URL_PREFIX, epochStart: day - 1 });
        await index.commit([
          { ...upsert(id, 'a'), time: day },
          { ...upsert(id, 'b'), time: day + HOUR - 2 },
          { ...upsert(id, 'a', { length: 2 }), time: day + HOUR },
          { ...deletion(id, 'b'), time: day + 5 * HOUR + 1_000 },
          { ...upsert(id, 'b'), time: day + 5 * HOUR + 2_000 },
          { ...upsert(id, 'c'), time: day + 24 * HOUR },
        ]);
        const until = day + 48 * HOUR - 1;
        assert.deepEqual(await index.activity(id, { after: day - 1, until, unit: 'hour' }), [
          { start: day, created: 2, updated: 0, deleted: 0 },
          { start: day + HOUR, created: 0, updated: 1, deleted: 0 },
          { start: day + 5 * HOUR, created: 1, updated: 0, deleted: 1 },
          { start: day + 24 * HOUR, created: 1, updated: 0, deleted: 0 },
        ]);
        assert.deepEqual(await index.activity(id, { after: day - 1, until, unit: 'day' }), [
          { start: day, created: 3, updated: 1, deleted: 1 },
          { start: day + 24 * HOUR, created: 1, updated: 0, deleted: 0 },
        ]);
        // Between two boundaries, and no more.
        assert.deepEqual(await index.activity(id, { after: day + 1, until: day + HOUR + 1, unit: 'hour' }), [
          { start: day, created: 1, updated: 0, deleted: 0 },
          { start: day + HOUR, created: 0, updated: 1, deleted: 0 },
        ]);
        assert.deepEqual(await index.activity(id, { after: until, until: until + HOUR, unit: 'hour' }), []);
      } finally {
        await close();
        await fresh.dispose();
      }
    });

    it('counts the changes of one set, as soon as they are committed', async () => {
      const after = (await two.stores.index.mark()) - 1_000_000;
      await two.stores.index.commit([
        upsert(two.maps, 'a'),
        upsert(two.texts, 'x'),
        upsert(two.maps, 'b'),
        deletion(two.maps, 'a'),
      ]);
      const counts = await two.stores.index.activity(two.maps, { after, until: after + 24 * HOUR, unit: 'day' });
      const sum = (kind: 'created' | 'deleted') => counts.reduce((total, count) => total + count[kind], 0);
      assert.deepEqual([sum('created'), sum('deleted')], [2, 1]);
    });
  });

  it('answers not-found for an unknown set', async () => {
    await assert.rejects(two.stores.index.windows(999, 0), isNotFound);
    await assert.rejects(two.stores.index.summary(999), isNotFound);
  });

  it('answers an empty set with nothing, and an unknown one with not-found', async () => {
    const { index } = two.stores;
    const range = { after: 1, until: 3_600_000_001, unit: 'hour' } as const;
    assert.deepEqual(await index.windows(two.texts, 0), []);
    assert.deepEqual(await index.latest(two.texts, { limit: 1 }), []);
    assert.deepEqual(await index.activity(two.texts, range), []);
    await assert.rejects(index.latest(999, { limit: 1 }), isNotFound);
    await assert.rejects(index.history(999, '/a', { limit: 1 }), isNotFound);
    await assert.rejects(index.activity(999, range), isNotFound);
  });
}

function appliedOf(results: readonly CommitResult[]) {
  return results.map((result) => (result.status === 'applied' ? result : assert.fail(JSON.stringify(result))));
}
