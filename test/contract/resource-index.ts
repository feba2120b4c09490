import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../src/core/change.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { encodeState, type ResourceState } from '../../src/core/resource.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import type { CommitResult } from '../../src/stores/commit-result.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import { collect, deletion, shuffled, URL_PREFIX, upsert } from '../support/builders.ts';

const LIMITS = { entries: 10, weight: 1e9 };

/** What every ResourceIndex promises. `open` gives stores on the same data as often as it is called; the last `dispose` removes it. */
export function resourceIndexContract(
  start: () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>,
): void {
  let place: Awaited<ReturnType<typeof start>>;
  let opened: Stores[];
  let stores: Stores;
  let maps: number;
  let texts: number;

  const openAgain = async () => {
    const more = await place.open();
    opened.push(more);
    return more;
  };

  beforeEach(async () => {
    place = await start();
    opened = [];
    stores = await openAgain();
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    maps = (await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX, windowChanges: 4 })).id;
    texts = (await sets.add({ slug: 'texts', urlPrefix: URL_PREFIX })).id;
  });

  afterEach(async () => {
    for (const { close } of opened) await close();
    await place.dispose();
  });

  const keysOf = async (set: number, range = {}) =>
    (await collect(stores.index.read(set, range))).map(({ key }) => key);
  const kindsOf = async (set: number) =>
    (await collect(stores.index.changes(set, { after: 0 }))).map(({ key, kind }) => `${kind} ${key}`);
  const isNotFound = (error: unknown) => isTidemarkError(error, 'not-found');

  describe('commit', () => {
    it('records an unknown resource as created, a known one as updated, and answers in order', async () => {
      const results = await stores.index.commit([
        upsert(maps, 'a', { length: 1 }),
        upsert(maps, 'a', { length: 2 }),
        deletion(maps, 'a'),
        upsert(maps, 'a', { length: 3 }),
      ]);
      assert.deepEqual(
        results.map((result) => result.status === 'applied' && result.kind),
        ['created', 'updated', 'deleted', 'created'],
      );
      assert.deepEqual(await kindsOf(maps), ['created /a', 'updated /a', 'deleted /a', 'created /a']);
    });

    it('makes no change of an event that tells nothing new', async () => {
      await stores.index.commit([upsert(maps, 'a', { length: 1, mime: 'text/plain' })]);
      const results = await stores.index.commit([
        upsert(maps, 'a', { mime: 'text/plain', length: 1 }),
        deletion(maps, 'b'),
      ]);
      assert.deepEqual(results, [
        { status: 'unchanged', reason: 'same-state' },
        { status: 'unchanged', reason: 'not-there' },
      ]);
      assert.deepEqual(await kindsOf(maps), ['created /a']);
    });

    it('rejects an event whose key was resolved under another prefix than its set has', async () => {
      const urlPrefix = 'http://example.org/elsewhere/';
      const results = await stores.index.commit([
        { ...upsert(maps, 'a'), urlPrefix: URL_PREFIX },
        { ...upsert(maps, 'b'), urlPrefix, source: 'harvester', position: 1 },
        upsert(maps, 'c'),
        { ...upsert(maps, 'd'), urlPrefix: URL_PREFIX, source: 'harvester', position: 0 },
      ]);
      assert.deepEqual(
        results.map((result) => (result.status === 'rejected' ? result.code : result.status)),
        ['applied', 'moved', 'applied', 'applied'],
      );
      assert.deepEqual(await kindsOf(maps), ['created /a', 'created /c', 'created /d']);
    });

    it('deletes every live resource that it is asked to delete, and answers so', async () => {
      const paths = Array.from({ length: 400 }, (_, number) => `file-${number}`);
      await stores.index.commit(paths.map((path) => upsert(maps, path)));
      for (const some of [paths.slice(0, 100), paths.slice(100)]) {
        const results = await stores.index.commit(shuffled(some).map((path) => deletion(maps, path)));
        assert.deepEqual(
          results.filter((result) => result.status !== 'applied' || result.kind !== 'deleted'),
          [],
        );
      }
      assert.deepEqual(await keysOf(maps), []);
    });

    it('takes each of length, hashes, type, lastmod and links as news', async () => {
      const states = [
        { length: 1 },
        { length: 2 },
        { length: 2, mime: 'text/plain' },
        { length: 2, mime: 'text/plain', lastmod: 5 },
        { length: 2, mime: 'text/plain', lastmod: 5, hashes: { md5: 'a'.repeat(32) } },
        { length: 2, mime: 'text/plain', lastmod: 5, links: [{ rel: 'describedby', href: '/b' }] },
        {},
      ];
      const results = await stores.index.commit(states.map((state) => upsert(maps, 'a', state)));
      assert.deepEqual(
        results.map(({ status }) => status),
        states.map(() => 'applied'),
      );
    });

    it('gives strictly ascending even stamps over all sets', async () => {
      const results = await stores.index.commit([upsert(maps, 'a'), upsert(texts, 'a'), upsert(maps, 'b')]);
      const more = await stores.index.commit([upsert(texts, 'b')]);
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
      const results = await stores.index.commit([upsert(maps, 'a'), upsert(999, 'a'), upsert(maps, 'b')]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['applied', 'rejected', 'applied'],
      );
    });

    it('counts an event of a source once, however often it is posted', async () => {
      const events = [1, 2, 3].map((position) => ({
        ...upsert(maps, 'a', { length: position }),
        source: 'harvester',
        position,
      }));
      await stores.index.commit(events);
      const again = await stores.index.commit(events);
      assert.deepEqual(
        again,
        events.map(() => ({ status: 'unchanged', reason: 'repeated' })),
      );
      const next = await stores.index.commit([
        { ...upsert(maps, 'a', { length: 1 }), source: 'harvester', position: 4 },
      ]);
      assert.equal(next[0]!.status, 'applied');
      const others = await stores.index.commit([
        { ...upsert(maps, 'b'), source: 'another', position: 1 },
        { ...upsert(texts, 'b'), source: 'harvester', position: 1 },
      ]);
      assert.deepEqual(
        others.map(({ status }) => status),
        ['applied', 'applied'],
      );
    });

    it('counts the positions of a source whatever its name', async () => {
      const sources = ['__proto__', 'constructor', 'toString', 's'.repeat(255)];
      const post = async (length: number) => {
        const events = sources.map((source) => ({ ...upsert(maps, 'a', { length }), source, position: length }));
        return (await stores.index.commit(events)).map((result) =>
          'reason' in result ? result.reason : result.status,
        );
      };
      await post(2);
      assert.deepEqual(await post(1), Array(4).fill('repeated'));
      const { index } = await openAgain();
      assert.deepEqual(
        (await index.positions()).map(({ source, position }) => `${source} ${position}`).sort(),
        sources.map((source) => `${source} 2`).sort(),
      );
    });

    it('remembers the positions of 10,000 sources of a set, and rejects one more', async () => {
      const from = (number: number, position: number) => ({
        ...deletion(maps, 'never'),
        source: `source-${number}`,
        position,
      });
      const statuses = async (...events: readonly ChangeEvent[]) =>
        (await stores.index.commit(events)).map((result) => ('code' in result ? result.code : result.status));
      const first = await statuses(...Array.from({ length: 9_999 }, (_, number) => from(number, 1)));
      assert.deepEqual(new Set(first), new Set(['unchanged']));
      const many = [from(9_999, 1), from(10_000, 1), { ...upsert(maps, 'a'), source: 'source-10001', position: 1 }];
      assert.deepEqual(await statuses(...many), ['unchanged', 'too-many-sources', 'too-many-sources']);
      const others = [from(7, 2), from(9_999, 2), from(10_000, 2), upsert(maps, 'a'), { ...from(1, 1), set: texts }];
      const outcomes = ['unchanged', 'unchanged', 'too-many-sources', 'applied', 'unchanged'];
      assert.deepEqual(await statuses(...others), outcomes);
      const replayed = { ...upsert(maps, 'b'), source: 'source-10002', position: 1, time: 2, window: 1 };
      const [result] = await stores.index.replay([{ ...replayed, time: Date.now() * 1_000 + 1_000_000 }]);
      assert.equal(result?.status, 'applied');
    });

    it('takes any number of events at a shared position, and none of a lower one, whose states would be old', async () => {
      const at = (position: number, path: string, length: number) =>
        ({ ...upsert(maps, path, { length }), source: 'records', position, sharesPosition: true }) as const;
      const statuses = async (...events: readonly ChangeEvent[]) =>
        (await stores.index.commit(events)).map((result) => ('reason' in result ? result.reason : result.status));

      assert.deepEqual(await statuses(at(1, 'a', 1), at(1, 'b', 1)), ['applied', 'applied']);
      assert.deepEqual(await statuses(at(1, 'c', 1), at(1, 'a', 1)), ['applied', 'same-state']);
      assert.deepEqual(await statuses({ ...at(2, 'never', 1), state: undefined }), ['not-there']);
      const other = await openAgain();
      const [late] = await other.index.commit([at(1, 'a', 3)]);
      assert.deepEqual(late, { status: 'unchanged', reason: 'repeated' });
      assert.deepEqual(await statuses(at(2, 'a', 2), at(1, 'a', 3), at(3, 'a', 4), at(2, 'a', 5)), [
        'applied',
        'repeated',
        'applied',
        'repeated',
      ]);
      const [a] = await stores.index.lookup(maps, ['/a']);
      assert.deepEqual(a!.state, { length: 4 });
    });

    it('keeps where a record is', async () => {
      const state = (position: number): ResourceState => ({
        lastmod: 1_486_637_068,
        length: 9,
        mime: 'application/xml',
        record: { artifact: 'cdl/harvest/x.avro', offset: 9_007_199_254_740, length: 65_536, position },
      });
      await stores.index.commit([upsert(maps, 'a', state(1))]);
      const [same] = await stores.index.commit([upsert(maps, 'a', state(1))]);
      assert.equal(same!.status, 'unchanged');
      const [moved] = await stores.index.commit([upsert(maps, 'a', state(2))]);
      assert.equal(moved!.status, 'applied');
      const [read] = await collect(stores.index.read(maps, {}));
      const [looked] = await stores.index.lookup(maps, ['/a']);
      const changes = await collect(stores.index.changes(maps, { after: 0 }));
      assert.deepEqual([read!.state, looked!.state], [state(2), state(2)]);
      assert.deepEqual(
        changes.map((change) => change.state),
        [state(1), state(2)],
      );
      assert.equal(encodeState(read!.state), encodeState(state(2)));
    });

    it('decides two writers one after the other: a resource is never created twice in a row', async () => {
      const other = await openAgain();
      const paths = Array.from({ length: 200 }, (_, number) => `file-${number}`);
      await Promise.all(
        [stores, other].flatMap(({ index }, writer) =>
          [0, 1, 2, 3, 4].map((round) =>
            index.commit(shuffled(paths).map((path) => upsert(maps, path, { length: writer * 10 + round }))),
          ),
        ),
      );
      const there = new Set<string>();
      let last = 0;
      for (const { key, kind, stamp } of await collect(stores.index.changes(maps, { after: 0 }))) {
        assert.equal(kind, there.has(key) ? 'updated' : 'created');
        assert.ok(stamp > last);
        there.add(key);
        last = stamp;
      }
      assert.equal(there.size, paths.length);
    });
  });

  describe('read', () => {
    it('reads every live resource exactly once, in byte order', async () => {
      // U+FF5E sorts after U+1F5FA by UTF-16 code units, but before it by UTF-8 bytes.
      const paths = ['1', '10', '2', '~', '\uff5e', '\u{1f5fa}', 'a b', 'a/b', 'a.b'];
      await stores.index.commit(paths.toReversed().map((path) => upsert(maps, path)));
      await stores.index.commit([deletion(maps, '2')]);
      const keys = await keysOf(maps);
      assert.deepEqual(
        keys,
        [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
      assert.equal(keys.length, paths.length - 1);
    });

    it('reads in batches, and keeps to a range', async () => {
      const paths = Array.from({ length: 12_000 }, (_, number) => String(number).padStart(5, '0'));
      await stores.index.commit(shuffled(paths).map((path) => upsert(maps, path)));
      let batches = 0;
      for await (const _ of stores.index.read(maps, {})) batches++;
      assert.ok(batches > 1);
      assert.deepEqual(
        await keysOf(maps),
        paths.map((path) => `/${path}`),
      );
      assert.deepEqual(await keysOf(maps, { from: '/00010', to: '/00012' }), ['/00010', '/00011']);
    });

    it('gives back the complete state', async () => {
      const state = {
        lastmod: 1_700_000_000,
        length: 9_007_199_254_740_991,
        mime: 'text/html; charset="utf-8"',
        hashes: { 'sha-256': 'b'.repeat(64), md5: 'a'.repeat(32) },
        links: [
          { rel: 'describedby', href: '/meta?x=1&y=2', mime: 'application/xml' },
          { rel: 'up', href: 'urn:x:y:zzzzzzz' },
        ],
      };
      await stores.index.commit([upsert(maps, 'a', state)]);
      assert.deepEqual((await collect(stores.index.read(maps, {})))[0]!.state, state);
      assert.deepEqual((await stores.index.lookup(maps, ['/a']))[0]!.state, state);
    });

    it('gives the states as text, in the same order, without tombstones', async () => {
      const paths = Array.from({ length: 700 }, (_, number) => `${number} é`);
      const hashes = { md5: 'a'.repeat(32), 'sha-256': 'b'.repeat(64) };
      await stores.index.commit(paths.map((path, length) => upsert(maps, path, { length, mime: 'a/b;c="d"', hashes })));
      await stores.index.commit([deletion(maps, '7 é')]);
      const read = await collect(stores.index.read(maps, {}));
      const states = await collect(stores.index.states(maps));
      assert.equal(states.length, 699);
      assert.deepEqual(
        states,
        read.map(({ key, state }) => ({ key, state: encodeState(state) })),
      );
      await assert.rejects(collect(stores.index.states(999)), isNotFound);
    });

    it('shows a tombstone only to whoever asks for it', async () => {
      await stores.index.commit([upsert(maps, 'a'), upsert(maps, 'b'), deletion(maps, 'a')]);
      assert.deepEqual(await keysOf(maps), ['/b']);
      const all = await collect(stores.index.read(maps, { tombstones: true }));
      assert.deepEqual(
        all.map(({ key, state }) => [key, state === undefined]),
        [
          ['/a', true],
          ['/b', false],
        ],
      );
    });

    it('goes on while others write between its batches', async () => {
      const paths = Array.from({ length: 2_500 }, (_, number) => String(number).padStart(5, '0'));
      await stores.index.commit(paths.map((path) => upsert(maps, path)));
      const seen: string[] = [];
      for await (const batch of stores.index.read(maps, {})) {
        seen.push(...batch.map(({ key }) => key));
        await stores.index.commit([upsert(maps, `new-${seen.length}`), upsert(maps, '00000', { length: seen.length })]);
      }
      assert.deepEqual(
        seen.filter((key) => !key.startsWith('/new')),
        paths.map((path) => `/${path}`),
      );
    });
  });

  it('looks up states in the order of the keys', async () => {
    const [created] = appliedOf(await stores.index.commit([upsert(maps, 'a'), upsert(maps, 'b'), deletion(maps, 'b')]));
    const [none, b, a] = await stores.index.lookup(maps, ['/none', '/b', '/a']);
    assert.equal(none, undefined);
    assert.equal(b!.state, undefined);
    assert.deepEqual([a!.stamp, a!.created], [created!.stamp, created!.stamp]);
  });

  it('tells when a resource was created last', async () => {
    await stores.index.commit([upsert(maps, 'a'), deletion(maps, 'a')]);
    const [again, updated] = appliedOf(
      await stores.index.commit([upsert(maps, 'a'), upsert(maps, 'a', { length: 5 })]),
    );
    const [a] = await stores.index.lookup(maps, ['/a']);
    assert.deepEqual([a!.created, a!.stamp], [again!.stamp, updated!.stamp]);
  });

  describe('the log', () => {
    it('lists the changes of one set between two boundaries', async () => {
      const results = await stores.index.commit([
        upsert(maps, 'a'),
        upsert(texts, 'x'),
        upsert(maps, 'b'),
        upsert(maps, 'c'),
      ]);
      const [, , second] = results.map((result) => (result.status === 'applied' ? result.stamp : 0));
      const between = await collect(stores.index.changes(maps, { after: second! - 1, until: second! + 1 }));
      assert.deepEqual(
        between.map(({ key }) => key),
        ['/b'],
      );
      assert.deepEqual(await kindsOf(texts), ['created /x']);
    });

    it('tells the tail of all sets, up to the watermark', async () => {
      const before = await stores.index.watermark();
      await stores.index.commit([upsert(maps, 'a'), upsert(texts, 'x'), deletion(maps, 'a')]);
      const tail = await stores.index.tail(before, 100);
      assert.deepEqual(
        tail.map(({ set, key, kind }) => [set, key, kind]),
        [
          [maps, '/a', 'created'],
          [texts, '/x', 'created'],
          [maps, '/a', 'deleted'],
        ],
      );
      assert.ok((await stores.index.watermark()) === tail.at(-1)!.stamp + 1);
      assert.equal((await stores.index.tail(before, 2)).length, 2);
      assert.deepEqual(await stores.index.tail(tail.at(-1)!.stamp + 1, 100), []);
    });

    it('shows another process at once what was committed', async () => {
      const other = await openAgain();
      await stores.index.commit([upsert(maps, 'a')]);
      assert.equal(await other.index.watermark(), await stores.index.watermark());
      assert.deepEqual(
        (await collect(other.index.read(maps, {}))).map(({ key }) => key),
        ['/a'],
      );
    });

    it('shows a process that comes late everything that was committed before', async () => {
      for (let number = 0; number < 20; number++) await stores.index.commit([upsert(maps, `file-${number}`)]);
      const late = await openAgain();
      assert.equal((await collect(late.index.read(maps, {}))).length, 20);
      assert.equal(await late.index.watermark(), await stores.index.watermark());
      await late.index.commit([upsert(maps, 'more')]);
      assert.equal((await stores.index.summary(maps)).resources, 21);
    });

    it('makes boundaries that lie between the changes before and after', async () => {
      const [before] = appliedOf(await stores.index.commit([upsert(maps, 'a')]));
      const mark = await stores.index.mark();
      const [after] = appliedOf(await stores.index.commit([upsert(maps, 'b')]));
      assert.equal(mark % 2, 1);
      assert.ok(before!.stamp < mark && mark < after!.stamp);
    });

    it('gives history that is taken over the times when it happened, in a store that has not come further', async () => {
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
        const told = await collect(index.changes(id, { after: epochStart }));
        assert.deepEqual(
          told.map(({ stamp }) => stamp),
          [...before.toReversed(), inFuture],
        );
        const [next] = appliedOf(await index.commit([upsert(id, 'e')]));
        assert.ok(next!.stamp > inFuture!);
      } finally {
        await close();
        await fresh.dispose();
      }
    });

    it('gives history that comes late the next stamp', async () => {
      const [before] = appliedOf(await stores.index.commit([upsert(maps, 'a')]));
      const [late] = appliedOf(await stores.index.commit([{ ...upsert(maps, 'b'), time: 1_000_000 }]));
      assert.equal(late!.stamp, before!.stamp + 2);
    });

    it('starts a window when the one before is full', async () => {
      for (let number = 0; number < 10; number++) await stores.index.commit([upsert(maps, `file-${number}`)]);
      const windows = await stores.index.windows(maps, 0);
      assert.deepEqual(
        windows.map(({ number, changes }) => [number, changes]),
        [
          [1, 4],
          [2, 4],
          [3, 2],
        ],
      );
      for (const [at, { from }] of windows.entries()) {
        const changes = await collect(stores.index.changes(maps, { after: from, until: windows[at + 1]?.from }));
        assert.ok(changes.every(({ window }) => window === at + 1));
        assert.equal(changes.length, windows[at]!.changes);
      }
      assert.deepEqual(
        (await stores.index.windows(maps, windows[1]!.from)).map(({ number }) => number),
        [2, 3],
      );
    });

    it('starts a window when the set was moved, and fills it like every other', async () => {
      await stores.index.commit([upsert(maps, 'a'), upsert(maps, 'b')]);
      const { epochStart } = await new SetRegistry(stores.catalog, stores.index).move(
        'maps',
        'http://example.org/next/',
      );
      for (let number = 0; number < 5; number++) await stores.index.commit([upsert(maps, `file-${number}`)]);
      const windows = await stores.index.windows(maps, epochStart);
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
      await stores.index.commit(['a', 'b', 'c', 'd'].map((path) => upsert(maps, path)));
      const until = await stores.index.watermark();
      const newest = async (entries: number, weight = 1e9) => {
        const after = await stores.index.newest(maps, until, { entries, weight });
        return (await collect(stores.index.changes(maps, { after, until }))).map(({ key }) => key);
      };
      assert.deepEqual(await newest(2), ['/c', '/d']);
      assert.deepEqual(await newest(100), ['/a', '/b', '/c', '/d']);
      assert.deepEqual(await newest(100, upsert(maps, 'a').weight * 3), ['/b', '/c', '/d']);
      assert.equal(await stores.index.newest(texts, until, LIMITS), until);
    });
  });

  describe('survey', () => {
    it('cuts a range into even pieces within the limits, that hold every live key once', async () => {
      const paths = Array.from({ length: 101 }, (_, number) => String(number).padStart(4, '0'));
      await stores.index.commit(shuffled(paths).map((path) => upsert(maps, path)));
      await stores.index.commit([deletion(maps, '0050')]);
      const { pieces, through } = await stores.index.survey(maps, {}, LIMITS);
      assert.equal(through, await stores.index.watermark());
      assert.equal(
        pieces.reduce((sum, { entries }) => sum + entries, 0),
        100,
      );
      assert.ok(pieces.length <= 15, `${pieces.length} pieces`);
      for (const [at, piece] of pieces.entries()) {
        const keys = await keysOf(maps, { from: piece.from, to: pieces[at + 1]?.from });
        assert.equal(keys.length, piece.entries);
        assert.equal(keys.at(-1), piece.last);
        assert.ok(keys.length <= LIMITS.entries);
      }
    });

    it('keeps to the limit of weight', async () => {
      await stores.index.commit(Array.from({ length: 40 }, (_, number) => upsert(maps, `file-${number}`)));
      const { weight } = upsert(maps, 'file-10');
      const { pieces } = await stores.index.survey(maps, {}, { entries: 1_000, weight: weight * 10 });
      assert.ok(pieces.length >= 4);
      assert.ok(pieces.every((piece) => piece.weight <= weight * 10 && piece.entries > 0));
    });

    it('answers one empty piece for a set without resources, and knows of its tombstones', async () => {
      const [, deleted] = appliedOf(await stores.index.commit([upsert(maps, 'a'), deletion(maps, 'a')]));
      const { pieces } = await stores.index.survey(maps, {}, LIMITS);
      assert.deepEqual(pieces, [{ from: undefined, last: undefined, entries: 0, weight: 0, newest: deleted!.stamp }]);
    });
  });

  it('sums up a set', async () => {
    const results = await stores.index.commit([
      upsert(maps, 'a'),
      upsert(maps, 'b'),
      upsert(maps, 'b', {}),
      deletion(maps, 'a'),
    ]);
    const lastChange = appliedOf(results).at(-1)!.stamp;
    assert.deepEqual(await stores.index.summary(maps), { resources: 1, changes: 4, lastChange });
    const none = { resources: 0, changes: 0, lastChange: 0 };
    assert.deepEqual(await stores.index.summary(texts), none);
    assert.deepEqual(await stores.index.summaries([texts, 999, maps]), [
      none,
      undefined,
      { resources: 1, changes: 4, lastChange },
    ]);
    await new SetRegistry(stores.catalog, stores.index).remove('texts');
    assert.deepEqual(await stores.index.summaries([texts]), [undefined]);
  });

  it('answers an empty set with nothing', async () => {
    assert.deepEqual(await keysOf(texts), []);
    assert.deepEqual(await kindsOf(texts), []);
    assert.deepEqual(await stores.index.windows(texts, 0), []);
  });

  it('answers not-found for an unknown set', async () => {
    await assert.rejects(collect(stores.index.read(999, {})), isNotFound);
    await assert.rejects(collect(stores.index.changes(999, { after: 0 })), isNotFound);
    await assert.rejects(stores.index.lookup(999, ['/a']), isNotFound);
    await assert.rejects(stores.index.windows(999, 0), isNotFound);
    await assert.rejects(stores.index.summary(999), isNotFound);
    await assert.rejects(stores.index.survey(999, {}, LIMITS), isNotFound);
    await assert.rejects(stores.index.newest(999, 1, LIMITS), isNotFound);
  });

  it('keeps a removed set to itself', async () => {
    await stores.index.commit([upsert(maps, 'a')]);
    await new SetRegistry(stores.catalog, stores.index).remove('maps');
    await assert.rejects(collect(stores.index.read(maps, {})), isNotFound);
    assert.equal((await stores.index.commit([upsert(maps, 'b')]))[0]!.status, 'rejected');
  });

  it('keeps everything when it is closed and opened again', async () => {
    await stores.index.commit([upsert(maps, 'a'), upsert(maps, 'b'), deletion(maps, 'b')]);
    const before = [await keysOf(maps), await kindsOf(maps), await stores.index.watermark()];
    for (const { close } of opened.splice(0)) await close();
    stores = await openAgain();
    assert.deepEqual([await keysOf(maps), await kindsOf(maps), await stores.index.watermark()], before);
  });
}

function appliedOf(results: readonly CommitResult[]) {
  return results.map((result) => (result.status === 'applied' ? result : assert.fail(JSON.stringify(result))));
}
