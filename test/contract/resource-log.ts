import assert from 'node:assert/strict';
import type { Change, ReplayedChange } from '../../src/core/change.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import { collect, deletion, URL_PREFIX, upsert } from '../support/builders.ts';

/** What every ResourceIndex promises to a process that copies its log, and to one that rebuilds it. */
export function resourceLogContract(start: () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>): void {
  let closers: (() => Promise<void>)[];
  let stores: Stores;
  let maps: number;
  let texts: number;

  /** A store of its own, with the two sets. */
  const make = async (windowChanges: number): Promise<Stores> => {
    const place = await start();
    closers.push(() => place.dispose());
    const opened = await place.open();
    closers.push(() => opened.close());
    const sets = new SetRegistry(opened.catalog, opened.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    const epochStart = 1;
    maps = (await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX, windowChanges, epochStart })).id;
    texts = (await sets.add({ slug: 'texts', urlPrefix: URL_PREFIX, epochStart })).id;
    return opened;
  };

  beforeEach(async () => {
    closers = [];
    stores = await make(3);
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
  });

  const all = (index = stores.index) => collect(index.log({ after: 0 }));
  const toEvent = ({ set, key, state, weight, stamp, window }: Change): ReplayedChange => {
    return { set, key, state, weight, time: stamp, window };
  };

  describe('log', () => {
    it('reads the changes of all sets between two boundaries, with their states, also those of a removed set', async () => {
      await stores.index.commit([upsert(maps, 'a', { length: 5, mime: 'text/plain' }), upsert(texts, 'x')]);
      const between = await stores.index.watermark();
      await stores.index.commit([deletion(maps, 'a'), upsert(texts, 'y')]);
      await new SetRegistry(stores.catalog, stores.index).remove('texts');
      const changes = await all();
      assert.deepEqual(
        changes.map(({ set, key, kind, state }) => [set, key, kind, state]),
        [
          [maps, '/a', 'created', { length: 5, mime: 'text/plain' }],
          [texts, '/x', 'created', { length: 1 }],
          [maps, '/a', 'deleted', undefined],
          [texts, '/y', 'created', { length: 1 }],
        ],
      );
      assert.deepEqual(await collect(stores.index.log({ after: between })), changes.slice(2));
      assert.deepEqual(await collect(stores.index.log({ after: 0, until: between })), changes.slice(0, 2));
      assert.deepEqual(await collect(stores.index.log({ after: await stores.index.watermark() })), []);
    });
  });

  it('returns the last position of each source, also after events that changed nothing', async () => {
    assert.deepEqual(await stores.index.positions(), []);
    await stores.index.commit([
      { ...upsert(maps, 'a'), source: 'one', position: 3 },
      { ...upsert(maps, 'b'), source: 'two', position: 1 },
      { ...deletion(texts, 'none'), source: 'one', position: 7 },
    ]);
    await stores.index.commit([{ ...upsert(maps, 'a'), source: 'one', position: 4 }]);
    const positions = (await stores.index.positions()).map((each) => `${each.set} ${each.source} ${each.position}`);
    assert.deepEqual(positions.sort(), [`${maps} one 4`, `${maps} two 1`, `${texts} one 7`]);
  });

  it('rebuilds a log exactly as it was, whatever windows the set would have now', async () => {
    const states = Array.from({ length: 8 }, (_, at) => upsert(maps, `file-${at % 5}`, { length: at }));
    await stores.index.commit([...states, upsert(texts, 'x'), deletion(maps, 'file-1')]);
    await new SetRegistry(stores.catalog, stores.index).renew('maps');
    await stores.index.commit([upsert(maps, 'file-1'), upsert(texts, 'x', { length: 9 })]);
    const was = { log: await all(), windows: await stores.index.windows(maps, 0) };
    assert.ok(was.windows.length > 3);

    const other = await make(1_000);
    const results = await other.index.replay(was.log.map(toEvent));
    assert.deepEqual(
      results.map((result) => result.status === 'applied' && [result.stamp, result.kind]),
      was.log.map(({ stamp, kind }) => [stamp, kind]),
    );
    assert.deepEqual(await all(other.index), was.log);
    assert.deepEqual(await other.index.windows(maps, 0), was.windows);
    const everything = { tombstones: true } as const;
    assert.deepEqual(
      await collect(other.index.read(maps, everything)),
      await collect(stores.index.read(maps, everything)),
    );
    assert.deepEqual(await other.index.summaries([maps, texts]), await stores.index.summaries([maps, texts]));
  });

  it('recognizes the part of a log that was rebuilt before', async () => {
    await stores.index.commit([upsert(maps, 'a'), upsert(maps, 'b'), upsert(maps, 'a', { length: 2 })]);
    const log = await all();
    const other = await make(3);
    await other.index.replay(log.slice(0, 2).map(toEvent));
    const results = await other.index.replay(log.map(toEvent));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['unchanged', 'unchanged', 'applied'],
    );
    assert.deepEqual(await all(other.index), log);
  });

  it('finds no damage in a store that is whole, while others commit', async () => {
    const committing = Promise.all([1, 2, 3].map((length) => stores.index.commit([upsert(maps, 'a', { length })])));
    assert.deepEqual(await stores.index.findDamage(), []);
    await committing;
  });

  it('gives the same answers when old commits are dropped, also to a process that was paused meanwhile', async () => {
    const reader = stores.index;
    for (let round = 0; round < 100; round++) await reader.commit([upsert(maps, `k${round % 7}`, { length: round })]);
    const boundary = await reader.watermark();
    const answers = async () => [await all(), await collect(reader.read(maps, {})), await reader.windows(maps, 0)];
    const before = await answers();
    const { dropped, total } = await reader.dropCommits(boundary, { olderThan: 0 });
    assert.equal(total, dropped);
    assert.deepEqual(await reader.dropCommits(boundary, { olderThan: 0 }), { dropped: 0, total, removedSegments: 0 });
    assert.deepEqual(await answers(), before);
    await reader.commit([upsert(maps, 'k1', { length: 1_000 })]);
    assert.equal((await all()).length, 101);
  });
}
