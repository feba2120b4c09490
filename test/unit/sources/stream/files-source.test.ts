import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { putUploadState } from '../../../../src/records/arrivals/upload-state.ts';
import { dumpId, type StreamDump } from '../../../../src/records/dumps/stored-stream-dump.ts';
import { sync } from '../../../../src/sources/sync/sync.ts';
import { SyncLoop } from '../../../../src/sources/sync/sync-loop.ts';
import { SyncCounter } from '../../../../src/sources/sync-counter.ts';
import type { EventPoster } from '../../../../src/stores/event-poster.ts';
import { describeOnEachStore } from '../../../support/each-store.ts';
import { StreamPlace } from '../../../support/stream-place.ts';
import { until } from '../../../support/until.ts';

describeOnEachStore('The uploads and dumps of a stream', (store, itOnce) => {
  let place: StreamPlace;
  beforeEach(async () => {
    place = await StreamPlace.make(store);
    await place.organizations.add('lane', { title: 'Lane Library', contacts: [] });
    await place.organizations.addStream('lane', 'main');
    await place.organizations.addStream('lane', 'new');
  });
  afterEach(() => place.close());

  async function upload(stream: string, ...names: readonly string[]) {
    const receiving = await place.uploads.begin('lane', stream);
    for (const name of names) await receiving.add(name, [Buffer.from(`bytes of ${name}`)]);
    return receiving.finish({ stream });
  }
  const keys = async (slug: string) => Object.keys(await place.contents(slug));
  const mismatches = async (slug: string) => {
    const found: string[] = [];
    for await (const some of (await place.source(slug)).verify({ counter: new SyncCounter() }))
      found.push(...some.map(({ kind, key }) => `${kind} ${key}`));
    return found;
  };

  it('are listed in the order of arrival, each with its bytes', async () => {
    await upload('main', 'a.mrc', 'b & c.xml', 'a.mrc');
    await upload('main', 'a.mrc');
    const summary = await place.sync('lane--main.uploads');
    assert.equal(summary?.created, 4);
    assert.deepEqual(await keys('lane--main.uploads'), [
      '/000000001/0001/a.mrc',
      '/000000001/0002/b%20&%20c.xml',
      '/000000001/0003/a.mrc',
      '/000000002/0001/a.mrc',
    ]);
    const [first] = await place.resources('lane--main.uploads');
    assert.deepEqual([first?.state.length, first?.state.mime], [14, 'application/marc']);
    const opened = await (await place.source('lane--main.uploads')).open(first!, { method: 'GET', isWhole: true });
    assert.ok('read' in opened);
    assert.equal(await text((await opened.read({ start: 9, length: 5 })) as Readable), 'a.mrc');
    assert.equal((await place.sync('lane--main.uploads'))?.created, 0);
    assert.deepEqual(await mismatches('lane--main.uploads'), []);
  });

  it('are many, and read some at a time', async () => {
    for (let at = 1; at <= 60; at++) await upload('main', `${at}.mrc`);
    assert.equal((await place.sync('lane--main.uploads'))?.created, 60);
    assert.equal((await place.sync('lane--main.uploads'))?.unchanged, 60);
    const { id } = await place.sets.bySlug('lane--main.uploads');
    const gone = ['/000000030/0001/30.mrc', '/000000001/0001/1.mrc', '/000000060/0001/60.mrc'];
    const extra = ['/000000061/0001/x', '/000000000/0001/x', '/000000030/0002/x', '/x'];
    const state = { length: 1 };
    await place.updater.post([
      ...gone.map((key) => ({ set: id, key, state: undefined, weight: 500 })),
      ...extra.map((key) => ({ set: id, key, state, weight: 500 })),
    ]);
    assert.equal((await mismatches('lane--main.uploads')).length, 7 + 4);
    const summary = await place.sync('lane--main.uploads');
    assert.deepEqual([summary?.created, summary?.deleted, summary?.unchanged], [3, 4, 57]);
    assert.deepEqual(await mismatches('lane--main.uploads'), []);
  });

  itOnce('delete nothing that another process has changed since it was compared', async () => {
    const slug = 'lane--main.uploads';
    await upload('main', 'a.mrc');
    await place.sync(slug);
    const set = await place.sets.bySlug(slug);
    const post = (length: number) =>
      place.updater.post([{ set: set.id, key: '/000000002/0001/b.mrc', state: { length }, weight: 500 }]);
    await post(1);
    const updater: EventPoster = {
      async post(events) {
        await post(2);
        return place.updater.post(events);
      },
    };
    const summary = await sync({ set, source: await place.source(slug), updater });
    assert.equal(summary?.deleted, 0);
    assert.deepEqual(await keys(slug), ['/000000001/0001/a.mrc', '/000000002/0001/b.mrc']);
  });

  itOnce('have short names in their keys, whatever their names are', async () => {
    const long = `${'記'.repeat(200)}.tar.gz`;
    await upload('main', long, 'a'.repeat(255), '..a', '%2e%2e', 'a?b#c');
    await place.sync('lane--main.uploads');
    const found = await keys('lane--main.uploads');
    assert.equal(found.length, 5);
    assert.ok(
      found.every((key) => key.length < 600),
      found.join(' '),
    );
    const [first = ''] = found;
    assert.match(decodeURIComponent(first), /^\/000000001\/0001\/記+~\.tar\.gz$/);
    assert.ok(Buffer.byteLength(decodeURIComponent(first).slice(16)) <= 150);
    assert.deepEqual(found.slice(2), [
      '/000000001/0003/..a',
      '/000000001/0004/%252e%252e',
      '/000000001/0005/a%3Fb%23c',
    ]);
  });

  itOnce('by URL appear when they were fetched', async () => {
    const receiving = await place.uploads.begin('lane', 'main');
    const found = await receiving.finish({ stream: 'main', url: 'https://example.org/a.mrc' });
    await upload('main', 'b.mrc');
    await place.sync('lane--main.uploads');
    assert.deepEqual(await keys('lane--main.uploads'), ['/000000002/0001/b.mrc']);
    const { files } = await upload('new', 'a.mrc');
    await putUploadState(place.stores.catalog, found, { body: { fetched: files }, before: undefined });
    assert.equal((await place.sync('lane--main.uploads', { under: ['000000001'] }))?.created, 1);
    assert.equal(await place.sync('lane--main.uploads', { under: ['000000001', '000000002'] }), undefined);
    assert.deepEqual(await keys('lane--main.uploads'), ['/000000001/0001/a.mrc', '/000000002/0001/b.mrc']);
  });

  it('of the default stream become those of another one, whichever process notices it', async () => {
    for (const name of ['1', '2', '3']) await upload('main', name);
    await upload('new', 'x');
    const late = await place.another();
    const slow = await (await late.source('lane.uploads')).compare({ counter: new SyncCounter() });
    await place.sync('lane.uploads');
    assert.deepEqual(
      await keys('lane.uploads'),
      await keys('lane--main.uploads').then(async () => {
        await place.sync('lane--main.uploads');
        return keys('lane--main.uploads');
      }),
    );
    await place.organizations.changeStream('lane', 'new', { default: true });
    const summary = await place.sync('lane.uploads');
    assert.deepEqual([summary?.created, summary?.deleted], [1, 3]);
    const { id } = await place.sets.bySlug('lane.uploads');
    for await (const { differences } of slow!.steps) {
      const events = differences.map(({ key, state }) => ({ set: id, key, state, weight: 500, ...slow!.position }));
      for (const result of await late.updater.post(events)) assert.equal(result.status, 'unchanged');
    }
    assert.deepEqual(await keys('lane.uploads'), ['/000000001/0001/x']);
    await upload('main', '4');
    assert.equal(await place.sync('lane.uploads', { under: ['000000004'] }), undefined);
    await upload('new', 'y');
    assert.equal((await late.sync('lane.uploads', { under: ['000000002'] }))?.created, 1);
  });

  it('are dump files, the oldest first, until their dump is removed', async () => {
    const { files } = await upload('main', 'a', 'b');
    const put = async (stream: string | undefined, number: number, more: Partial<StreamDump> = {}) => {
      const dump: StreamDump = {
        organization: 'lane',
        ...(stream !== undefined && { stream }),
        number,
        kind: 'full',
        at: 1_700_000_000_000 + number * 1000,
        until: 1,
        set: 1,
        epoch: 1,
        totals: { records: 1, deletions: 0, errata: 0 },
        files: files.map((file) => ({ ...file, kind: 'marc21', mime: 'application/gzip', name: `dump-${file.name}` })),
        token: 'x',
        ...more,
      };
      const id = dumpId(dump);
      const before = await place.stores.catalog.get('stream-dump', id);
      await place.stores.catalog.put('stream-dump', id, dump, before?.version);
    };
    await put('main', 1);
    await put('main', 2);
    await put(undefined, 1);
    assert.equal((await place.sync('lane--main.dumps'))?.created, 4);
    assert.equal((await place.sync('lane.dumps'))?.created, 2);
    assert.equal((await place.sync('lane--new.dumps'))?.created, 0);
    const dates = (await place.resources('lane--main.dumps')).map(({ key, state }) => [key, state.lastmod]);
    assert.deepEqual(dates, [
      ['/000000001/dump-a', 1_700_000_001],
      ['/000000001/dump-b', 1_700_000_001],
      ['/000000002/dump-a', 1_700_000_002],
      ['/000000002/dump-b', 1_700_000_002],
    ]);
    await put('main', 1, { removed: 1 });
    assert.equal((await place.sync('lane--main.dumps', { under: ['000000001'] }))?.deleted, 2);
    assert.deepEqual(await keys('lane--main.dumps'), ['/000000002/dump-a', '/000000002/dump-b']);
  });

  it('are synced within about a second by a loop, which reads only what is new', async () => {
    const loops: SyncLoop[] = [];
    const scans: string[] = [];
    try {
      for (const slug of ['lane', 'lane.uploads', 'lane--main.uploads', 'lane--new.uploads']) {
        const set = await place.sets.bySlug(slug);
        const onScanned = (_summary: unknown, extent: string) => void scans.push(`${slug} ${extent}`);
        const loop = new SyncLoop({
          set,
          source: await place.source(slug),
          updater: place.updater,
          events: { onScanned },
        });
        loops.push(loop);
        loop.start();
      }
      await Promise.all(loops.map((loop) => loop.firstSync));
      scans.length = 0;
      await upload('main', 'a');
      await until('it is listed', async () => (await keys('lane.uploads')).length === 1);
      await until('it is listed', async () => (await keys('lane--main.uploads')).length === 1);
      assert.deepEqual(scans.sort(), ['lane--main.uploads changes', 'lane.uploads changes']);
      await place.upload('lane--main', 1, { a: '1' });
      await until('it is followed', async () => (await keys('lane')).length === 1);
      await place.upload('lane--new', 1, { b: '1' });
      await place.organizations.changeStream('lane', 'new', { default: true });
      await until('it is followed', async () => (await keys('lane')).join() === '/b');
      await until('none is listed', async () => (await keys('lane.uploads')).length === 0);
    } finally {
      for (const loop of loops) await loop.stop();
    }
  });
});
