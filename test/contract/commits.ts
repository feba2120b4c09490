import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../src/core/change.ts';
import { encodeState } from '../../src/core/resource.ts';
import { MAX_ENTRIES_WEIGHT } from '../../src/core/resource-set.ts';
import { clockStamp } from '../../src/core/stamp.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import type { CommitResult } from '../../src/stores/commit-result.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import { collect, deletion, shuffled, URL_PREFIX, upsert } from '../support/builders.ts';
import { until } from '../support/until.ts';

/** What every committer decides, in one store for all tests: each has a set of its own. */
export function commitContract(start: () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>): void {
  let place: Awaited<ReturnType<typeof start>>;
  let stores: Stores;
  let other: Stores;
  let sets: SetRegistry;
  let count = 0;

  before(async () => {
    place = await start();
    [stores, other] = [await place.open(), await place.open()];
    sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
  });
  after(async () => {
    for (const { close } of [stores, other]) await close();
    await place.dispose();
  });

  async function add(windowChanges = 3): Promise<number> {
    count += 1;
    return (await sets.add({ slug: `mutated-commits-${count}`, urlPrefix: URL_PREFIX, windowChanges })).id;
  }
  const commit = (...events: readonly ChangeEvent[]) => stores.index.commit(events);
  const short = async (...events: readonly ChangeEvent[]) => (await commit(...events)).map(describeResult);
  const changesOf = (set: number) => collect(stores.index.changes(set, { after: 0 }));
  const windowsOf = async (set: number) =>
    (await stores.index.windows(set, 0)).map(({ number, changes }) => [number, changes]);
  const positionsOf = async (...wanted: readonly number[]) =>
    (await stores.index.positions())
      .filter(({ set }) => wanted.includes(set))
      .map(({ set, source, position }) => `${wanted.indexOf(set)} ${source} ${position}`)
      .sort();

  it('takes a state as its text, and knows it again as what it says', async () => {
    const set = await add();
    const state = { lastmod: 1_700_000_000, length: 1, mime: 'text/plain', hashes: { md5: '0'.repeat(32) } };
    const event = upsert(set, 'a', state);
    const asText = { ...event, state: encodeState(state) };
    assert.deepEqual((await stores.index.commit([asText, event, asText])).map(describeResult), [
      'created',
      'same-state',
      'same-state',
    ]);
    assert.deepEqual(
      (await changesOf(set)).map((change) => change.state),
      [state],
    );
    assert.deepEqual(
      (await stores.index.lookup(set, ['/a'])).map((found) => found?.state),
      [state],
    );
  });

  it('decides events in their order, each against what the ones before it made', async () => {
    const [set, beside] = [await add(), await add()];
    const weigh = (event: ChangeEvent, weight: number) => ({ ...event, weight });
    const results = await commit(
      weigh(upsert(set, 'b', { length: 1 }), 501),
      upsert(set, 'a', { length: 1 }),
      upsert(beside, 'a', { length: 3 }),
      weigh(upsert(set, 'b', { length: 2 }), 502),
      weigh(deletion(set, 'a'), 503),
    );
    const stamps = results.map(stampOf);
    const [b, a, c, b2, a2] = stamps as [number, number, number, number, number];
    assert.deepEqual(stamps, [b, b + 2, b + 4, b + 6, b + 8]);
    assert.equal(await stores.index.watermark(), a2 + 1);
    assert.deepEqual(
      (await changesOf(set)).map(({ stamp, key, kind, window, weight, state }) => [
        stamp,
        key,
        kind,
        window,
        weight,
        state,
      ]),
      [
        [b, '/b', 'created', 1, 501, { length: 1 }],
        [a, '/a', 'created', 1, upsert(set, 'a').weight, { length: 1 }],
        [b2, '/b', 'updated', 1, 502, { length: 2 }],
        [a2, '/a', 'deleted', 2, 503, undefined],
      ],
    );
    assert.deepEqual(await collect(stores.index.read(set, { tombstones: true })), [
      { key: '/a', state: undefined, stamp: a2, created: a },
      { key: '/b', state: { length: 2 }, stamp: b2, created: b },
    ]);
    assert.deepEqual(await stores.index.summary(set), { resources: 1, changes: 4, lastChange: a2 });
    assert.deepEqual(await stores.index.summary(beside), { resources: 1, changes: 1, lastChange: c });
    assert.deepEqual(await windowsOf(set), [
      [1, 3],
      [2, 1],
    ]);
  });

  it('decides against what earlier commits made, and keeps when a resource was created', async () => {
    const set = await add();
    const [first] = (await commit(upsert(set, 'a'))).map(stampOf);
    const [second] = (await commit(upsert(set, 'a', { length: 2 }))).map(stampOf);
    assert.deepEqual(await short(upsert(set, 'a', { length: 2 }), deletion(set, 'b')), ['same-state', 'not-there']);
    assert.deepEqual(await stores.index.lookup(set, ['/a']), [
      { key: '/a', state: { length: 2 }, stamp: second, created: first },
    ]);
    assert.deepEqual(await short(deletion(set, 'a'), deletion(set, 'a')), ['deleted', 'not-there']);
    const [again] = (await commit(upsert(set, 'a'))).map(stampOf);
    assert.equal((await stores.index.lookup(set, ['/a']))[0]!.created, again);
    const { pieces } = await stores.index.survey(set, {}, { entries: 10, weight: 1e9 });
    const { weight } = upsert(set, 'a');
    assert.deepEqual(pieces, [{ from: undefined, last: '/a', entries: 1, weight, newest: again }]);
  });

  it('decides against what another process has committed since', async () => {
    const set = await add();
    await commit(upsert(set, 'a'));
    await other.index.commit([upsert(set, 'b')]);
    assert.deepEqual(await short(upsert(set, 'b'), upsert(set, 'c')), ['same-state', 'created']);
    const results = await other.index.commit([upsert(set, 'c'), deletion(set, 'a')]);
    assert.deepEqual(results.map(describeResult), ['same-state', 'deleted']);
    assert.deepEqual(await short(deletion(set, 'a')), ['not-there']);
  });

  it('makes each change once when two processes post the same at once', async () => {
    const set = await add(1_000);
    for (let round = 0; round < 4; round++) {
      const events = ['a', 'b', 'c'].map((name) => upsert(set, name, { length: round }));
      const posted = [stores, other, stores].map(({ index }) => index.commit(events));
      const results = (await Promise.all(posted)).flat().map(describeResult);
      const kind = round === 0 ? 'created' : 'updated';
      assert.deepEqual(results.sort(), [...Array(3).fill(kind), ...Array(6).fill('same-state')].sort());
    }
    const stamps = (await changesOf(set)).map(({ stamp }) => stamp);
    assert.equal(new Set(stamps).size, 12);
    assert.deepEqual(await windowsOf(set), [[1, 12]]);
  });

  it('appends nothing when nothing is new', async () => {
    const set = await add();
    await commit(upsert(set, 'a'));
    const watermark = await stores.index.watermark();
    assert.deepEqual(await short(upsert(set, 'a'), deletion(set, 'b'), upsert(999_999, 'a')), [
      'same-state',
      'not-there',
      'unknown-set',
    ]);
    assert.deepEqual(await commit(), []);
    assert.equal(await stores.index.watermark(), watermark);
    assert.deepEqual(await windowsOf(set), [[1, 1]]);
  });

  it('ends a window when it is full, too heavy, or of an earlier history', async () => {
    const set = await add(3);
    const heavy = (name: string, weight: number) => ({ ...upsert(set, name), weight });
    await commit(heavy('a', MAX_ENTRIES_WEIGHT - 5), heavy('b', 5));
    await commit(heavy('c', 1));
    assert.deepEqual(await windowsOf(set), [
      [1, 2],
      [2, 1],
    ]);
    await commit(heavy('d', 1), heavy('e', 1), heavy('f', 1));
    await sets.renew(`mutated-commits-${count}`);
    const [last] = (await commit(heavy('g', 1))).map(stampOf);
    const windows = await stores.index.windows(set, 0);
    assert.deepEqual(
      windows.map(({ number, changes }) => [number, changes]),
      [
        [1, 2],
        [2, 3],
        [3, 1],
        [4, 1],
      ],
    );
    assert.equal(windows[3]!.from, last! - 1);
  });

  it('takes the stamps and windows of a log that is made again, and knows what it has of it', async () => {
    const set = await add(1_000);
    const from = await stores.index.watermark();
    await until('the clock has passed the times', async () => clockStamp() > from + 100);
    const log = [1, 1, 2, 3].map((window, at) => {
      return { ...upsert(set, `file-${at}`), time: from + 1 + 2 * at, window };
    });
    assert.deepEqual(
      (await stores.index.replay(log)).map(stampOf),
      log.map(({ time }) => time),
    );
    const more = { ...upsert(set, 'more'), time: from + 9, window: 3 };
    const again = await stores.index.replay([...log, more]);
    assert.deepEqual(again.map(describeResult), ['repeated', 'repeated', 'repeated', 'repeated', 'created']);
    assert.deepEqual(await windowsOf(set), [
      [1, 2],
      [2, 1],
      [3, 2],
    ]);
    const history = { ...upsert(set, 'older'), time: from };
    assert.deepEqual((await commit(history)).map(stampOf), [from + 11], 'the log has come further');
  });

  it('rejects events by themselves, for each reason', async () => {
    const [set, removed] = [await add(), await add()];
    await commit(upsert(removed, 'before'));
    await sets.remove(`mutated-commits-${count}`);
    const urlPrefix = 'http://example.org/elsewhere/';
    const source = { source: 'harvester', position: 7 };
    assert.deepEqual(
      await short(
        upsert(set, 'a'),
        { ...upsert(removed, 'a'), ...source },
        { ...upsert(set, 'b'), urlPrefix, ...source },
        { ...upsert(set, 'c'), urlPrefix: URL_PREFIX },
        { ...upsert(999_999, 'd'), urlPrefix },
        upsert(set, 'e'),
      ),
      ['created', 'unknown-set', 'moved', 'created', 'unknown-set', 'created'],
    );
    assert.deepEqual(await positionsOf(set, removed), []);
  });

  it('counts an event at or below the position of its source as known', async () => {
    const [set, beside] = [await add(100), await add(100)];
    const at = (name: string, position: number, more: object = {}) => {
      return { ...upsert(set, name, { length: position }), source: 'harvester', position, ...more };
    };
    const shared = { sharesPosition: true } as const;
    assert.deepEqual(await short(at('a', 0), at('a', 0), at('b', 5), at('c', 4)), [
      'created',
      'repeated',
      'created',
      'repeated',
    ]);
    assert.deepEqual(await short(at('c', 5), at('d', 6), at('e', 1, { source: 'toString' })), [
      'repeated',
      'created',
      'created',
    ]);
    assert.deepEqual(await short(at('f', 8, shared), at('g', 8, shared), at('h', 7, shared), at('i', 8)), [
      'created',
      'created',
      'repeated',
      'repeated',
    ]);
    const watermark = await stores.index.watermark();
    const nothingNew = { ...deletion(set, 'none'), source: 'harvester', position: 9 };
    assert.deepEqual(await short(nothingNew, at('k', 1, { set: beside })), ['not-there', 'created']);
    assert.deepEqual(await short({ ...nothingNew, position: 10 }, nothingNew), ['not-there', 'repeated']);
    const { source: _, ...noSource } = at('l', 1);
    const { position: __, ...noPosition } = at('m', 1);
    assert.deepEqual(await short(noSource, noPosition), ['created', 'created']);
    assert.deepEqual(await positionsOf(set, beside), ['0 harvester 10', '0 toString 1', '1 harvester 1']);
    assert.ok((await stores.index.watermark()) > watermark);
  });

  describe('an event that is based on a state', () => {
    const stampOf = async (set: number) => (await other.index.lookup(set, ['/a']))[0]!.stamp;

    it('is superseded when its key has changed since, also by an event of the same commit or a deletion', async () => {
      const set = await add(100);
      await commit(upsert(set, 'a', { length: 1 }));
      const basedOn = await stampOf(set);
      const based = (length: number) => ({ ...upsert(set, 'a', { length }), basedOn });
      assert.deepEqual(await short(based(2), based(3)), ['updated', 'superseded']);
      assert.deepEqual(await short(based(4)), ['superseded']);
      await commit(deletion(set, 'a'));
      assert.deepEqual(await short(based(5), { ...upsert(set, 'b', { length: 1 }), basedOn }), [
        'superseded',
        'superseded',
      ]);
      assert.deepEqual(
        (await changesOf(set)).map(({ kind, state }) => [kind, state?.length]),
        [
          ['created', 1],
          ['updated', 2],
          ['deleted', undefined],
        ],
      );
    });

    it('is a change when its key has not changed, whatever else has, and when its order alone has risen', async () => {
      const set = await add(100);
      await commit(upsert(set, 'a', { length: 1 }));
      const basedOn = await stampOf(set);
      await commit(upsert(set, 'b', { length: 1 }));
      await commit({ ...upsert(set, 'a', { length: 1 }), order: 7 });
      assert.deepEqual(await short({ ...upsert(set, 'a', { length: 2 }), basedOn }), ['updated']);
    });

    it('is superseded when it is based on none, and its key was there, or is', async () => {
      const set = await add(100);
      const basedOnNone = (length: number) => ({ ...upsert(set, 'a', { length }), basedOn: 0 });
      await commit({ ...deletion(set, 'a'), order: 1 });
      assert.deepEqual(await short(basedOnNone(1), basedOnNone(2)), ['created', 'superseded']);
      assert.deepEqual(await short(basedOnNone(3)), ['superseded']);
      await commit(deletion(set, 'a'));
      assert.deepEqual(await short(basedOnNone(4)), ['superseded']);
    });

    it('is written by one of two processes that begin at the same state', async () => {
      const set = await add(100);
      await commit(upsert(set, 'a', { length: 0 }));
      for (let round = 1; round <= 10; round++) {
        const basedOn = await stampOf(set);
        const post = ({ index }: Stores, length: number) =>
          index.commit([{ ...upsert(set, 'a', { length }), basedOn }]);
        const results = await Promise.all([post(stores, round * 2), post(other, round * 2 + 1)]);
        assert.deepEqual(results.flat().map(describeResult).sort(), ['superseded', 'updated']);
      }
    });
  });

  describe('an event with an order', () => {
    const at = (set: number, name: string, length: number, order?: number) => ({
      ...upsert(set, name, { length }),
      ...(order !== undefined && { order }),
    });
    const lookup = async (set: number, index = other.index) => (await index.lookup(set, ['/a']))[0];
    const raisedOf = async (set: number, after = 0) =>
      (await collect(stores.index.raisedOrders({ after })))
        .filter((raised) => raised.set === set)
        .map(({ key, order }) => [key, order]);

    it('changes nothing when its order is below that of the state or tombstone', async () => {
      const set = await add(100);
      assert.deepEqual(await short(at(set, 'a', 1, 5), at(set, 'a', 2, 4)), ['created', 'superseded']);
      assert.deepEqual(await short(at(set, 'a', 2, 4), at(set, 'a', 3, 5), at(set, 'a', 4, 6)), [
        'superseded',
        'updated',
        'updated',
      ]);
      assert.deepEqual(await short({ ...deletion(set, 'a'), order: 8 }), ['deleted']);
      assert.deepEqual(await short(at(set, 'a', 5, 7)), ['superseded']);
      assert.equal((await lookup(set))?.order, 8);
      assert.deepEqual(await short(at(set, 'a', 5)), ['created']);
      assert.deepEqual([(await lookup(set))?.order, (await lookup(set))?.state], [8, { length: 5 }]);
      assert.deepEqual(
        (await changesOf(set)).map(({ kind, order }) => [kind, order]),
        [
          ['created', 5],
          ['updated', 5],
          ['updated', 6],
          ['deleted', 8],
          ['created', 8],
        ],
      );
      assert.deepEqual(await raisedOf(set), []);
    });

    it('raises the order also when it changes nothing, without a change', async () => {
      const set = await add(100);
      const [created] = (await commit(at(set, 'a', 1, 1), at(set, 'b', 1))).map(stampOf);
      const before = await stores.index.watermark();
      assert.deepEqual(await short(at(set, 'a', 1, 3), at(set, 'b', 1, 9)), ['same-state', 'same-state']);
      assert.deepEqual(await lookup(set), { key: '/a', state: { length: 1 }, stamp: created, created, order: 3 });
      assert.deepEqual(await raisedOf(set), [
        ['/a', 3],
        ['/b', 9],
      ]);
      assert.deepEqual(await raisedOf(set, await stores.index.watermark()), []);
      assert.deepEqual((await other.index.commit([at(set, 'a', 2, 2)])).map(describeResult), ['superseded']);
      assert.equal((await changesOf(set)).length, 2);
      assert.deepEqual((await stores.index.summary(set)).changes, 2);
      assert.deepEqual(await collect(stores.index.log({ after: before })), []);
      assert.deepEqual(await short(at(set, 'a', 1, 4), at(set, 'a', 2, 4), at(set, 'a', 2, 5)), [
        'same-state',
        'updated',
        'same-state',
      ]);
      assert.deepEqual(await raisedOf(set), [
        ['/b', 9],
        ['/a', 5],
      ]);
      assert.deepEqual(await short(at(set, 'a', 3, 6)), ['updated']);
      assert.deepEqual(await raisedOf(set), [['/b', 9]]);
      const { pieces } = await stores.index.survey(set, {}, { entries: 10, weight: 1e9 });
      assert.deepEqual([pieces.length, pieces[0]!.entries], [1, 2]);
    });

    it('deletes a resource that never existed, and makes no change', async () => {
      const set = await add(100);
      assert.deepEqual(await short({ ...deletion(set, 'a'), order: 2 }), ['not-there']);
      assert.equal(await lookup(set), undefined);
      assert.deepEqual(await collect(stores.index.read(set, { tombstones: true })), []);
      assert.deepEqual(await stores.index.history(set, '/a', { limit: 10 }), []);
      assert.deepEqual(await stores.index.summary(set), { resources: 0, changes: 0, lastChange: 0 });
      const { pieces } = await stores.index.survey(set, {}, { entries: 10, weight: 1e9 });
      assert.deepEqual(pieces, [{ from: undefined, last: undefined, entries: 0, weight: 0, newest: 0 }]);
      const late = await other.index.commit([at(set, 'a', 1, 1)]);
      assert.deepEqual(late.map(describeResult), ['superseded']);
      assert.deepEqual(await short(at(set, 'a', 1, 3)), ['created']);
      assert.deepEqual(
        (await stores.index.history(set, '/a', { limit: 10 })).map(({ kind, order }) => [kind, order]),
        [['created', 3]],
      );
    });

    it('keeps an order that no resource has, for a process that starts later', async () => {
      const set = await add(100);
      assert.deepEqual(await short({ ...deletion(set, 'a'), order: 2 }), ['not-there']);
      // So many commits that no process reads the first one again.
      const another = await add(100);
      for (let length = 1; length <= 20; length++) await commit(upsert(another, 'b', { length }));
      await stores.index.watermark();
      const later = await place.open();
      try {
        assert.deepEqual((await later.index.commit([at(set, 'a', 1, 1)])).map(describeResult), ['superseded']);
      } finally {
        await later.close();
      }
      assert.equal(await lookup(set), undefined);
    });

    it('ends with the highest order when many raise it at once', async () => {
      const set = await add(1_000);
      const orders = shuffled(Array.from({ length: 24 }, (_, order) => order));
      const posted = orders.map((order) => [stores, other][order % 2]!.index.commit([at(set, 'a', order >> 2, order)]));
      await Promise.all(posted);
      assert.deepEqual([(await lookup(set))?.order, (await lookup(set))?.state], [23, { length: 5 }]);
      assert.deepEqual((await lookup(set, stores.index))?.order, 23);
    });
  });

  it('makes boundaries above all stamps, and gives later changes stamps above them', async () => {
    const set = await add();
    const [first] = (await commit(upsert(set, 'a'))).map(stampOf);
    const clock = clockStamp();
    const marks = [await stores.index.mark(), await other.index.mark()] as const;
    const [last] = (await commit(upsert(set, 'b'))).map(stampOf);
    assert.ok(first! < marks[0] && marks[0] <= marks[1] && marks[1] < last!);
    assert.ok(marks.every((mark) => mark % 2 === 1 && mark > clock));
    assert.ok(last! - clockStamp() < 60_000_000);
  });

  it('applies many commits in order', async () => {
    const set = await add(1_000);
    const posted = Array.from({ length: 30 }, (_, at) =>
      commit(upsert(set, `file-${at}`), upsert(set, 'last', { length: at })),
    );
    await Promise.all(posted);
    assert.equal((await changesOf(set)).length, 60);
    assert.deepEqual((await stores.index.lookup(set, ['/last']))[0]!.state, { length: 29 });
  });
}

function describeResult(result: CommitResult): string {
  if (result.status === 'applied') return result.kind;
  return result.status === 'unchanged' ? result.reason : result.code;
}

function stampOf(result: CommitResult): number {
  return result.status === 'applied' ? result.stamp : assert.fail(describeResult(result));
}
