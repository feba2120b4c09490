import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../src/core/change.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { encodeState, type ResourceState } from '../../src/core/resource.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import type { CommitResult } from '../../src/stores/commit-result.ts';
import { collect, deletion, shuffled, URL_PREFIX, upsert } from '../support/builders.ts';
import { type StartStores, TwoSets } from '../support/two-sets.ts';

const LIMITS = { entries: 10, weight: 1e9 };

/** What every ChangeLog promises. */
export function changeLogContract(start: StartStores): void {
  const two = new TwoSets(start);

  const isNotFound = (error: unknown) => isTidemarkError(error, 'not-found');
  const keysOf = async (set: number, range = {}) =>
    (await collect(two.stores.index.read(set, range))).map(({ key }) => key);
  const kindsOf = async (set: number) =>
    (await collect(two.stores.index.changes(set, { after: 0 }))).map(({ key, kind }) => `${kind} ${key}`);

  describe('commit', () => {
    it('records an unknown resource as created, a known one as updated, and answers in order', async () => {
      const results = await two.stores.index.commit([
        upsert(two.maps, 'a', { length: 1 }),
        upsert(two.maps, 'a', { length: 2 }),
        deletion(two.maps, 'a'),
        upsert(two.maps, 'a', { length: 3 }),
      ]);
      assert.deepEqual(
        results.map((result) => result.status === 'applied' && result.kind),
        ['created', 'updated', 'deleted', 'created'],
      );
      assert.deepEqual(await kindsOf(two.maps), ['created /a', 'updated /a', 'deleted /a', 'created /a']);
    });

    it('makes no change of an event that changes nothing', async () => {
      await two.stores.index.commit([upsert(two.maps, 'a', { length: 1, mime: 'text/plain' })]);
      const results = await two.stores.index.commit([
        upsert(two.maps, 'a', { mime: 'text/plain', length: 1 }),
        deletion(two.maps, 'b'),
      ]);
      assert.deepEqual(results, [
        { status: 'unchanged', reason: 'same-state' },
        { status: 'unchanged', reason: 'not-there' },
      ]);
      assert.deepEqual(await kindsOf(two.maps), ['created /a']);
    });

    it('rejects an event whose key was resolved under another prefix than its set has', async () => {
      const urlPrefix = 'http://example.org/elsewhere/';
      const results = await two.stores.index.commit([
        { ...upsert(two.maps, 'a'), urlPrefix: URL_PREFIX },
        { ...upsert(two.maps, 'b'), urlPrefix, source: 'harvester', position: 1 },
        upsert(two.maps, 'c'),
        { ...upsert(two.maps, 'd'), urlPrefix: URL_PREFIX, source: 'harvester', position: 0 },
      ]);
      assert.deepEqual(
        results.map((result) => (result.status === 'rejected' ? result.code : result.status)),
        ['applied', 'moved', 'applied', 'applied'],
      );
      assert.deepEqual(await kindsOf(two.maps), ['created /a', 'created /c', 'created /d']);
    });

    it('deletes every live resource that it is asked to delete, and answers so', async () => {
      const paths = Array.from({ length: 400 }, (_, number) => `file-${number}`);
      await two.stores.index.commit(paths.map((path) => upsert(two.maps, path)));
      for (const some of [paths.slice(0, 100), paths.slice(100)]) {
        const results = await two.stores.index.commit(shuffled(some).map((path) => deletion(two.maps, path)));
        assert.deepEqual(
          results.filter((result) => result.status !== 'applied' || result.kind !== 'deleted'),
          [],
        );
      }
      assert.deepEqual(await keysOf(two.maps), []);
    });

    it('records a change when length, hashes, type, lastmod or links differ', async () => {
      const states = [
        { length: 1 },
        { length: 2 },
        { length: 2, mime: 'text/plain' },
        { length: 2, mime: 'text/plain', lastmod: 5 },
        { length: 2, mime: 'text/plain', lastmod: 5, hashes: { md5: 'a'.repeat(32) } },
        { length: 2, mime: 'text/plain', lastmod: 5, links: [{ rel: 'describedby', href: '/b' }] },
        {},
      ];
      const results = await two.stores.index.commit(states.map((state) => upsert(two.maps, 'a', state)));
      assert.deepEqual(
        results.map(({ status }) => status),
        states.map(() => 'applied'),
      );
    });

    it('gives strictly ascending even stamps over all sets', async () => {
      const results = await two.stores.index.commit([
        upsert(two.maps, 'a'),
        upsert(two.texts, 'a'),
        upsert(two.maps, 'b'),
      ]);
      const more = await two.stores.index.commit([upsert(two.texts, 'b')]);
      const stamps = [...results, ...more].map((result) =>
        result.status === 'applied' ? result.stamp : assert.fail(),
      );
      assert.deepEqual(
        stamps,
        [...new Set(stamps)].sort((a, b) => a - b),
      );
      assert.ok(stamps.every((stamp) => stamp % 2 === 0));
    });

    it('rejects events of an unknown set, and applies their neighbours', async () => {
      const results = await two.stores.index.commit([upsert(two.maps, 'a'), upsert(999, 'a'), upsert(two.maps, 'b')]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['applied', 'rejected', 'applied'],
      );
    });

    it('counts an event of a source once, however often it is posted', async () => {
      const events = [1, 2, 3].map((position) => ({
        ...upsert(two.maps, 'a', { length: position }),
        source: 'harvester',
        position,
      }));
      await two.stores.index.commit(events);
      const again = await two.stores.index.commit(events);
      assert.deepEqual(
        again,
        events.map(() => ({ status: 'unchanged', reason: 'repeated' })),
      );
      const next = await two.stores.index.commit([
        { ...upsert(two.maps, 'a', { length: 1 }), source: 'harvester', position: 4 },
      ]);
      assert.equal(next[0]!.status, 'applied');
      const others = await two.stores.index.commit([
        { ...upsert(two.maps, 'b'), source: 'another', position: 1 },
        { ...upsert(two.texts, 'b'), source: 'harvester', position: 1 },
      ]);
      assert.deepEqual(
        others.map(({ status }) => status),
        ['applied', 'applied'],
      );
    });

    it('counts the positions of a source whatever its name', async () => {
      const sources = ['__proto__', 'constructor', 'toString', 's'.repeat(255)];
      const post = async (length: number) => {
        const events = sources.map((source) => ({ ...upsert(two.maps, 'a', { length }), source, position: length }));
        return (await two.stores.index.commit(events)).map((result) =>
          'reason' in result ? result.reason : result.status,
        );
      };
      await post(2);
      assert.deepEqual(await post(1), Array(4).fill('repeated'));
      const { index } = await two.openAgain();
      assert.deepEqual(
        (await index.positions()).map(({ source, position }) => `${source} ${position}`).sort(),
        sources.map((source) => `${source} 2`).sort(),
      );
    });

    it('remembers the positions of 10,000 sources of a set, and rejects one more', async () => {
      const from = (number: number, position: number) => ({
        ...deletion(two.maps, 'never'),
        source: `source-${number}`,
        position,
      });
      const statuses = async (...events: readonly ChangeEvent[]) =>
        (await two.stores.index.commit(events)).map((result) => ('code' in result ? result.code : result.status));
      const first = await statuses(...Array.from({ length: 9_999 }, (_, number) => from(number, 1)));
      assert.deepEqual(new Set(first), new Set(['unchanged']));
      const many = [from(9_999, 1), from(10_000, 1), { ...upsert(two.maps, 'a'), source: 'source-10001', position: 1 }];
      assert.deepEqual(await statuses(...many), ['unchanged', 'too-many-sources', 'too-many-sources']);
      const others = [
        from(7, 2),
        from(9_999, 2),
        from(10_000, 2),
        upsert(two.maps, 'a'),
        { ...from(1, 1), set: two.texts },
      ];
      const outcomes = ['unchanged', 'unchanged', 'too-many-sources', 'applied', 'unchanged'];
      assert.deepEqual(await statuses(...others), outcomes);
      const replayed = { ...upsert(two.maps, 'b'), source: 'source-10002', position: 1, time: 2, window: 1 };
      const [result] = await two.stores.index.replay([{ ...replayed, time: Date.now() * 1_000 + 1_000_000 }]);
      assert.equal(result?.status, 'applied');
    });

    it('takes any number of events at a shared position, and none of a lower one, whose states would be old', async () => {
      const at = (position: number, path: string, length: number) =>
        ({ ...upsert(two.maps, path, { length }), source: 'records', position, sharesPosition: true }) as const;
      const statuses = async (...events: readonly ChangeEvent[]) =>
        (await two.stores.index.commit(events)).map((result) => ('reason' in result ? result.reason : result.status));

      assert.deepEqual(await statuses(at(1, 'a', 1), at(1, 'b', 1)), ['applied', 'applied']);
      assert.deepEqual(await statuses(at(1, 'c', 1), at(1, 'a', 1)), ['applied', 'same-state']);
      assert.deepEqual(await statuses({ ...at(2, 'never', 1), state: undefined }), ['not-there']);
      const other = await two.openAgain();
      const [late] = await other.index.commit([at(1, 'a', 3)]);
      assert.deepEqual(late, { status: 'unchanged', reason: 'repeated' });
      assert.deepEqual(await statuses(at(2, 'a', 2), at(1, 'a', 3), at(3, 'a', 4), at(2, 'a', 5)), [
        'applied',
        'repeated',
        'applied',
        'repeated',
      ]);
      const [a] = await two.stores.index.lookup(two.maps, ['/a']);
      assert.deepEqual(a!.state, { length: 4 });
    });

    const places = {
      record: (position: number) => ({
        record: { artifact: 'cdl/harvest/x.avro', offset: 9_007_199_254_740, length: 65_536, position },
      }),
      version: (offset: number) => ({ kept: { pack: '1f2e3d4c5b6a7988-12', offset } }),
    };
    for (const [what, placeOf] of Object.entries(places))
      it(`keeps where a ${what} is`, async () => {
        const state = (number: number): ResourceState => ({
          lastmod: 1_486_637_068,
          length: number,
          mime: 'application/xml',
          ...placeOf(number),
        });
        await two.stores.index.commit([upsert(two.maps, 'a', state(1))]);
        const [same] = await two.stores.index.commit([upsert(two.maps, 'a', state(1))]);
        assert.equal(same!.status, 'unchanged');
        const [moved] = await two.stores.index.commit([upsert(two.maps, 'a', state(2))]);
        assert.equal(moved!.status, 'applied');
        const [read] = await collect(two.stores.index.read(two.maps, {}));
        const [found] = await two.stores.index.lookup(two.maps, ['/a']);
        const changes = await collect(two.stores.index.changes(two.maps, { after: 0 }));
        assert.deepEqual([read!.state, found!.state], [state(2), state(2)]);
        assert.deepEqual(
          changes.map((change) => change.state),
          [state(1), state(2)],
        );
        assert.equal(encodeState(read!.state), encodeState(state(2)));
      });

    it('takes no other place of bytes for a change, but the first one of bytes that had none', async () => {
      const { version } = places;
      const statuses = async (...states: readonly ResourceState[]) => {
        const events = states.map((state) => upsert(two.maps, 'a', { length: 9, ...state }));
        return (await two.stores.index.commit(events)).map(({ status }) => status);
      };
      assert.deepEqual(await statuses({}, version(1)), ['applied', 'applied']);
      assert.deepEqual(await statuses(version(2), {}, version(1)), ['unchanged', 'unchanged', 'unchanged']);
      const [found] = await two.stores.index.lookup(two.maps, ['/a']);
      assert.deepEqual(found!.state, { length: 9, ...version(1) });
      assert.deepEqual(await statuses({ length: 8, ...version(1) }, { length: 8, mime: 'text/plain' }), [
        'applied',
        'applied',
      ]);
    });

    it('decides two writers one after the other: a resource is never created twice in a row', async () => {
      const other = await two.openAgain();
      const paths = Array.from({ length: 200 }, (_, number) => `file-${number}`);
      await Promise.all(
        [two.stores, other].flatMap(({ index }, writer) =>
          [0, 1, 2, 3, 4].map((round) =>
            index.commit(shuffled(paths).map((path) => upsert(two.maps, path, { length: writer * 10 + round }))),
          ),
        ),
      );
      const there = new Set<string>();
      let last = 0;
      for (const { key, kind, stamp } of await collect(two.stores.index.changes(two.maps, { after: 0 }))) {
        assert.equal(kind, there.has(key) ? 'updated' : 'created');
        assert.ok(stamp > last);
        there.add(key);
        last = stamp;
      }
      assert.equal(there.size, paths.length);
    });
  });

  describe('the log', () => {
    it('lists the changes of one set between two boundaries', async () => {
      const results = await two.stores.index.commit([
        upsert(two.maps, 'a'),
        upsert(two.texts, 'x'),
        upsert(two.maps, 'b'),
        upsert(two.maps, 'c'),
      ]);
      const [, , second] = results.map((result) => (result.status === 'applied' ? result.stamp : 0));
      const between = await collect(two.stores.index.changes(two.maps, { after: second! - 1, until: second! + 1 }));
      assert.deepEqual(
        between.map(({ key }) => key),
        ['/b'],
      );
      assert.deepEqual(await kindsOf(two.texts), ['created /x']);
    });

    it('yields at most as many changes of a set as are wanted, the first ones', async () => {
      const { index } = two.stores;
      const paths = Array.from({ length: 600 }, (_, number) => `file-${number}`);
      await index.commit(paths.map((path) => upsert(two.maps, path)));
      for (const limit of [1, 250, 300, 500, 600, 1_000]) {
        const first = await collect(index.changes(two.maps, { after: 0, limit }));
        assert.deepEqual(
          first.map(({ key }) => key),
          paths.slice(0, limit).map((path) => `/${path}`),
        );
      }
    });

    it('reads nothing that is posted after reading has begun', async () => {
      const { index } = two.stores;
      let posted = 0;
      /** New resources, whose orders then rise without a change. */
      const post = async (count: number) => {
        const paths = Array.from({ length: count }, () => `file-${posted++}`);
        for (const order of [1, 2]) await index.commit(paths.map((path) => ({ ...upsert(two.maps, path), order })));
      };
      // More than SQLite reads at a time.
      await post(300);
      for (const read of [
        () => index.changes(two.maps, { after: 0 }),
        () => index.log({ after: 0 }),
        () => index.raisedOrders({ after: 0 }),
      ]) {
        const [watermark, before] = [await index.watermark(), posted];
        const stamps: number[] = [];
        for await (const batch of read()) {
          stamps.push(...batch.map(({ stamp }) => stamp));
          await post(20);
        }
        assert.equal(stamps.length, before);
        assert.ok(stamps.at(-1)! < watermark);
      }
    });

    it('returns the tail of all sets, up to the watermark', async () => {
      const before = await two.stores.index.watermark();
      await two.stores.index.commit([upsert(two.maps, 'a'), upsert(two.texts, 'x'), deletion(two.maps, 'a')]);
      const tail = await two.stores.index.tail(before, 100);
      assert.deepEqual(
        tail.map(({ set, key, kind }) => [set, key, kind]),
        [
          [two.maps, '/a', 'created'],
          [two.texts, '/x', 'created'],
          [two.maps, '/a', 'deleted'],
        ],
      );
      assert.ok((await two.stores.index.watermark()) === tail.at(-1)!.stamp + 1);
      assert.equal((await two.stores.index.tail(before, 2)).length, 2);
      assert.deepEqual(await two.stores.index.tail(tail.at(-1)!.stamp + 1, 100), []);
    });

    it('shows another process at once what was committed', async () => {
      const other = await two.openAgain();
      await two.stores.index.commit([upsert(two.maps, 'a')]);
      assert.equal(await other.index.committed(), await two.stores.index.watermark());
      assert.deepEqual(
        (await collect(other.index.read(two.maps, {}))).map(({ key }) => key),
        ['/a'],
      );
    });

    it('shows a process that comes late everything that was committed before', async () => {
      for (let number = 0; number < 20; number++) await two.stores.index.commit([upsert(two.maps, `file-${number}`)]);
      const late = await two.openAgain();
      assert.equal((await collect(late.index.read(two.maps, {}))).length, 20);
      assert.equal(await late.index.watermark(), await two.stores.index.watermark());
      await late.index.commit([upsert(two.maps, 'more')]);
      assert.equal((await two.stores.index.summary(two.maps)).resources, 21);
    });

    it('makes boundaries between the changes before and after', async () => {
      const [before] = appliedOf(await two.stores.index.commit([upsert(two.maps, 'a')]));
      const mark = await two.stores.index.mark();
      const [after] = appliedOf(await two.stores.index.commit([upsert(two.maps, 'b')]));
      assert.equal(mark % 2, 1);
      assert.ok(before!.stamp < mark && mark < after!.stamp);
    });

    it('gives imported history the times when it happened, in a store without later changes', async () => {
      const fresh = await start();
      const { index, catalog, close } = await fresh.open();
      const time = Date.UTC(2017, 1, 3) * 1000;
      try {
        const sets = new SetRegistry(catalog, index);
        await sets.useBaseUrl('http://localhost:8080', false);
        const { id, epochStart } = await sets.add({ slug: 'old', urlPrefix: URL_PREFIX, epochStart: time - 1 });
        const results = await index.commit([
          { ...upsert(id, 'a'), time },
          { ...upsert(id, 'b'), time },
          { ...upsert(id, 'c'), time: time + 1_000_000 },
          { ...upsert(id, 'd'), time: time - 1_000_000 },
          { ...deletion(id, 'a'), time: Date.now() * 1000 + 3_600_000_000 },
        ]);
        const [inFuture, ...before] = appliedOf(results)
          .map(({ stamp }) => stamp)
          .toReversed();
        assert.equal(epochStart, time - 1);
        assert.deepEqual(before.toReversed(), [time, time + 2, time + 1_000_000, time + 1_000_002]);
        assert.ok(inFuture! <= Date.now() * 1000, 'a time that has not come yet counts as now');
        const read = await collect(index.changes(id, { after: epochStart }));
        assert.deepEqual(
          read.map(({ stamp }) => stamp),
          [...before.toReversed(), inFuture],
        );
        const [next] = appliedOf(await index.commit([upsert(id, 'e')]));
        assert.ok(next!.stamp > inFuture!);
      } finally {
        await close();
        await fresh.dispose();
      }
    });

    it('gives imported history that comes late the next stamp', async () => {
      const [before] = appliedOf(await two.stores.index.commit([upsert(two.maps, 'a')]));
      const [late] = appliedOf(await two.stores.index.commit([{ ...upsert(two.maps, 'b'), time: 1_000_000 }]));
      assert.equal(late!.stamp, before!.stamp + 2);
    });

    it('starts a window when the one before is full', async () => {
      for (let number = 0; number < 10; number++) await two.stores.index.commit([upsert(two.maps, `file-${number}`)]);
      const windows = await two.stores.index.windows(two.maps, 0);
      assert.deepEqual(
        windows.map(({ number, changes }) => [number, changes]),
        [
          [1, 4],
          [2, 4],
          [3, 2],
        ],
      );
      for (const [at, { from }] of windows.entries()) {
        const changes = await collect(
          two.stores.index.changes(two.maps, { after: from, until: windows[at + 1]?.from }),
        );
        assert.ok(changes.every(({ window }) => window === at + 1));
        assert.equal(changes.length, windows[at]!.changes);
      }
      assert.deepEqual(
        (await two.stores.index.windows(two.maps, windows[1]!.from)).map(({ number }) => number),
        [2, 3],
      );
    });

    it('starts a window when the set was moved, and fills it like every other', async () => {
      await two.stores.index.commit([upsert(two.maps, 'a'), upsert(two.maps, 'b')]);
      const { epochStart } = await new SetRegistry(two.stores.catalog, two.stores.index).move(
        'maps',
        'http://example.org/next/',
      );
      for (let number = 0; number < 5; number++) await two.stores.index.commit([upsert(two.maps, `file-${number}`)]);
      const windows = await two.stores.index.windows(two.maps, epochStart);
      assert.deepEqual(
        windows.map(({ number, changes }) => [number, changes]),
        [
          [2, 4],
          [3, 1],
        ],
      );
      assert.ok(windows[0]!.from >= epochStart, 'it begins in the new epoch');
    });

    it('finds the boundary below the newest changes', async () => {
      await two.stores.index.commit(['a', 'b', 'c', 'd'].map((path) => upsert(two.maps, path)));
      const until = await two.stores.index.watermark();
      const newest = async (entries: number, weight = 1e9) => {
        const after = await two.stores.index.newest(two.maps, until, { entries, weight });
        return (await collect(two.stores.index.changes(two.maps, { after, until }))).map(({ key }) => key);
      };
      assert.deepEqual(await newest(2), ['/c', '/d']);
      assert.deepEqual(await newest(100), ['/a', '/b', '/c', '/d']);
      assert.deepEqual(await newest(100, upsert(two.maps, 'a').weight * 3), ['/b', '/c', '/d']);
      assert.equal(await two.stores.index.newest(two.texts, until, LIMITS), until);
    });
  });

  it('answers not-found for an unknown set', async () => {
    await assert.rejects(collect(two.stores.index.changes(999, { after: 0 })), isNotFound);
    await assert.rejects(two.stores.index.newest(999, 1, LIMITS), isNotFound);
  });

  it('answers an empty set with nothing', async () => {
    assert.deepEqual(await kindsOf(two.texts), []);
  });

  it('hides a removed set', async () => {
    await two.stores.index.commit([upsert(two.maps, 'a')]);
    await new SetRegistry(two.stores.catalog, two.stores.index).remove('maps');
    await assert.rejects(collect(two.stores.index.read(two.maps, {})), isNotFound);
    assert.equal((await two.stores.index.commit([upsert(two.maps, 'b')]))[0]!.status, 'rejected');
  });

  it('keeps everything when it is closed and opened again', async () => {
    await two.stores.index.commit([upsert(two.maps, 'a'), upsert(two.maps, 'b'), deletion(two.maps, 'b')]);
    const before = [await keysOf(two.maps), await kindsOf(two.maps), await two.stores.index.watermark()];
    await two.reopen();
    assert.deepEqual([await keysOf(two.maps), await kindsOf(two.maps), await two.stores.index.watermark()], before);
  });
}

function appliedOf(results: readonly CommitResult[]) {
  return results.map((result) => (result.status === 'applied' ? result : assert.fail(JSON.stringify(result))));
}
