import assert from 'node:assert/strict';
import { readFollowCursor } from '../../../../src/records/follow-cursor.ts';
import { readPart } from '../../../../src/sources/records/stream/follow-log.ts';
import { sync } from '../../../../src/sources/sync/sync.ts';
import { SyncCounter } from '../../../../src/sources/sync-counter.ts';
import type { EventPoster } from '../../../../src/stores/event-poster.ts';
import { describeOnEachStore } from '../../../support/each-store.ts';
import { StreamPlace } from '../../../support/stream-place.ts';

describeOnEachStore('The records of the default stream', (store, itOnce) => {
  let place: StreamPlace;
  beforeEach(async () => {
    place = await StreamPlace.make(store);
    await place.organizations.add('lane', { title: 'Lane Library', contacts: [] });
  });
  afterEach(() => place.close());

  const addStreams = async (...streams: readonly string[]) => {
    for (const stream of streams) await place.organizations.addStream('lane', stream);
  };
  const assertFollowed = async (stream: string) =>
    assert.deepEqual(await place.contents('lane'), await place.contents(`lane--${stream}`));

  it('are none without a stream, and follow the first one once it is made', async () => {
    assert.equal(await place.sync('lane'), undefined);
    await addStreams('main');
    await place.upload('lane--main', 1, { a: '1', b: '1' });
    assert.equal((await place.sync('lane'))?.created, 2);
    await assertFollowed('main');
    assert.equal(await place.sync('lane'), undefined);
  });

  it('change as those of the stream do, and keep date and place', async () => {
    await addStreams('main');
    await place.upload('lane--main', 1, { a: '1', b: '1', c: '1' });
    await place.sync('lane');
    await place.upload('lane--main', 2, { a: '2', b: undefined, d: '2' });
    const summary = await place.sync('lane');
    assert.deepEqual([summary?.created, summary?.updated, summary?.deleted], [1, 1, 1]);
    const states = (resources: Awaited<ReturnType<StreamPlace['resources']>>) =>
      resources.map(({ key, state }) => ({ key, state }));
    assert.deepEqual(states(await place.resources('lane')), states(await place.resources('lane--main')));
  });

  it('have one change for several of a key, and none for what was undone', async () => {
    await addStreams('main');
    await place.upload('lane--main', 1, { a: '1' });
    await place.sync('lane');
    await place.upload('lane--main', 2, { a: '2', b: '2' });
    await place.upload('lane--main', 3, { a: '3', b: undefined });
    await place.sync('lane');
    assert.deepEqual(await place.changes('lane'), ['created /a', 'updated /a']);
    await place.upload('lane--main', 4, { a: '4' });
    await place.upload('lane--main', 5, { a: '3' });
    const summary = await place.sync('lane');
    assert.deepEqual([summary?.updated, summary?.unchanged], [0, 1]);
  });

  it('become those of another stream that is made the default, with changes only where bytes differ', async () => {
    await addStreams('main', 'new');
    await place.upload('lane--main', 1, { a: '1', b: '1', c: '1' });
    await place.sync('lane');
    // An upload of its own, with another date and another place.
    await place.upload('lane--new', 7, { b: '1', c: '7', d: '7' });
    assert.equal(await place.sync('lane'), undefined, 'uploads to another stream change nothing');
    await place.organizations.changeStream('lane', 'new', { default: true });
    const summary = await place.sync('lane');
    assert.deepEqual([summary?.created, summary?.updated, summary?.deleted, summary?.unchanged], [1, 1, 1, 1]);
    await assertFollowed('new');
    await place.organizations.changeStream('lane', 'main', { default: true });
    await place.sync('lane');
    await assertFollowed('main');
  });

  itOnce('are compared as a whole when a person asks for it, and only then', async () => {
    await addStreams('main');
    await place.upload('lane--main', 1, { a: '1', b: '1' });
    await place.sync('lane');
    const { id } = await place.sets.bySlug('lane');
    await place.updater.post([{ set: id, key: '/a', state: undefined, weight: 500 }]);
    assert.equal(await place.sync('lane'), undefined);
    assert.equal((await place.sync('lane', { dryRun: true }))?.created, 1);
    assert.deepEqual(Object.keys(await place.contents('lane')), ['/b']);
    assert.equal((await place.sync('lane', { rehash: true }))?.created, 1);
    await assertFollowed('main');
  });

  itOnce('are those of all parts of its log, also of what is committed while one is read', async () => {
    await addStreams('main');
    await place.upload('lane--main', 1, { a: '1' });
    const { id } = await place.sets.bySlug('lane--main');
    const { index } = place.stores;
    const reading = {
      watermark: () => index.watermark(),
      async *changes(...range: Parameters<typeof index.changes>) {
        yield* index.changes(...range);
        await place.upload('lane--main', 2, { b: '2' });
      },
    };
    const first = await readPart(reading, id, { after: 0 });
    const next = await readPart(index, id, { after: first!.until });
    assert.deepEqual(
      [first, next].map((part) => part?.changes.map(({ key }) => key)),
      [['/a'], ['/b']],
    );
  });

  itOnce('change nothing that another process has changed since both sets were compared', async () => {
    await addStreams('main');
    await place.upload('lane--main', 1, { a: '1', b: '1' });
    const set = await place.sets.bySlug('lane');
    const updater: EventPoster = {
      async post(events) {
        await place.updater.post([{ set: set.id, key: '/a', state: { length: 7 }, weight: 500 }]);
        return place.updater.post(events);
      },
    };
    const summary = await sync({ set, source: await place.source('lane'), updater });
    assert.equal(summary?.created, 1);
    assert.deepEqual(await place.changes('lane'), ['created /a', 'created /b']);
  });

  it('are followed by several processes at once, with each change once', async () => {
    await addStreams('main', 'new');
    const others = [place, await place.another(), await place.another()];
    const numbered = (from: number, until: number, text: string) =>
      Object.fromEntries(Array.from({ length: until - from }, (_, at) => [`r${from + at}`, text]));
    await place.upload('lane--main', 1, numbered(0, 3_000, '1'));
    await place.upload('lane--new', 1, numbered(1_500, 4_500, '2'));
    await Promise.all(others.map((other) => other.sync('lane')));
    await place.organizations.changeStream('lane', 'new', { default: true });
    await Promise.all(others.map((other) => other.sync('lane')));
    await place.upload('lane--new', 2, numbered(1_500, 2_500, '3'));
    await Promise.all(others.map((other) => other.sync('lane')));
    await assertFollowed('new');
    // 3,000 created; 1,500 deleted, 1,500 updated, 1,500 created; 1,000 updated.
    assert.equal((await place.changes('lane')).length, 3_000 + 4_500 + 1_000);
  });

  it('are taken over from where a process was that is late, whose events change nothing any more', async () => {
    await addStreams('main', 'new');
    await place.upload('lane--main', 1, { a: '1', b: '1' });
    await place.upload('lane--new', 1, { a: '2', c: '2' });
    const late = await place.another();
    const slow = await (await late.source('lane')).compare({ counter: new SyncCounter() });
    await place.organizations.changeStream('lane', 'new', { default: true });
    await place.sync('lane');
    await assertFollowed('new');
    const { id } = await place.sets.bySlug('lane');
    for await (const { differences } of slow!.steps) {
      const events = differences.map(({ key, state }) => ({ set: id, key, state, weight: 500, ...slow!.position }));
      const results = await late.updater.post(events);
      assert.ok(results.every((result) => result.status === 'unchanged' && result.reason === 'repeated'));
    }
    await slow!.end?.(new SyncCounter().summary());
    await assertFollowed('new');
    assert.equal(await late.sync('lane'), undefined);
  });

  it('are compared again when the record of how far they are is lost, as after a rebuild', async () => {
    await addStreams('main');
    await place.upload('lane--main', 1, { a: '1', b: '1' });
    await place.sync('lane');
    const { id } = await place.sets.bySlug('lane');
    const { version, body } = (await readFollowCursor(place.stores.catalog, id))!;
    const lost = { ...body, stream: '(lost)', generation: 1 };
    await place.stores.catalog.put('followed', String(id).padStart(10, '0'), lost, version);
    await place.upload('lane--main', 2, { b: '2' });
    assert.equal((await place.sync('lane'))?.updated, 1);
    assert.equal((await place.changes('lane')).length, 3);
  });

  itOnce('are verified: against the stream, and record by record', async () => {
    await addStreams('main');
    await place.upload('lane--main', 1, { a: '1', b: '1' });
    await place.upload('lane--main', 2, { c: '2' });
    await place.sync('lane');
    const mismatches = async (slug: string) => {
      const found: string[] = [];
      const counter = new SyncCounter();
      for await (const some of (await place.source(slug)).verify({ counter }))
        found.push(...some.map(({ kind, key }) => `${kind} ${key}`));
      return { found, files: counter.files };
    };
    assert.deepEqual(await mismatches('lane'), { found: [], files: 3 });
    assert.deepEqual(await mismatches('lane--main'), { found: [], files: 3 });
    const { state } = (await place.resources('lane')).at(-1)!;
    await place.artifacts.delete(state.record!.artifact);
    const { id } = await place.sets.bySlug('lane');
    await place.updater.post([{ set: id, key: '/a', state: undefined, weight: 500 }]);
    assert.deepEqual((await mismatches('lane')).found, ['extra /a', 'unreadable /c']);
    assert.deepEqual((await mismatches('lane--main')).found, ['unreadable /c']);
    const summary = await place.sync('lane--main', { rehash: true });
    assert.deepEqual([summary?.problemCount, summary?.deleted], [1, 0]);
  });
});
