import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../src/core/change.ts';
import { entryWeight } from '../../src/core/entry-weight.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import { collect, deletion, shuffled, URL_PREFIX, upsert } from '../support/builders.ts';

const HOUR = 3_600_000_000;

/** What every ResourceIndex promises to those who look at a set: searches, histories, counts. */
export function resourceSearchContract(
  start: () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>,
): void {
  let place: Awaited<ReturnType<typeof start>>;
  let stores: Stores;
  let maps: number;
  let texts: number;

  beforeEach(async () => {
    place = await start();
    stores = await place.open();
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    // Below the times of the histories that tests take over.
    const epochStart = 1_000_001;
    maps = (await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX, epochStart })).id;
    texts = (await sets.add({ slug: 'texts', urlPrefix: URL_PREFIX, epochStart })).id;
  });

  afterEach(async () => {
    await stores.close();
    await place.dispose();
  });

  const isNotFound = (error: unknown) => isTidemarkError(error, 'not-found');

  /** Follows `next` to the end. */
  async function findAll(set: number, part: string, limit = 1_000): Promise<string[]> {
    const keys: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { resources, next } = await stores.index.find(set, { part, after, limit });
      assert.ok(resources.length <= limit);
      keys.push(...resources.map(({ key }) => key));
      assert.ok(next === undefined || next > after, 'a search goes on');
      after = next;
    }
    return keys;
  }

  const commitPaths = (...paths: readonly string[]) =>
    stores.index.commit(shuffled(paths).map((path) => upsert(maps, path)));

  function elsewhere(uri: string, state: ChangeEvent['state'] = { length: 1 }): ChangeEvent {
    return { set: maps, key: uri, state, weight: entryWeight(URL_PREFIX, uri, state) };
  }

  describe('find', () => {
    it('finds what a person types, wherever it is in the key, in the order of the keys', async () => {
      await commitPaths('Karten/Mäp 1.tif', 'karten/mäp 2.tif', 'karten/mp.tif', 'x/MäP 11');
      await stores.index.commit([upsert(texts, 'mäp 1'), deletion(maps, 'karten/mäp 2.tif')]);
      assert.deepEqual(await findAll(maps, 'mäp 1'), ['/Karten/M%C3%A4p%201.tif', '/x/M%C3%A4P%2011']);
      assert.deepEqual(await findAll(maps, 'TEN/M'), ['/Karten/M%C3%A4p%201.tif', '/karten/mp.tif']);
      assert.deepEqual(await findAll(maps, 'm%c3%a4p%201'), ['/Karten/M%C3%A4p%201.tif', '/x/M%C3%A4P%2011']);
      assert.deepEqual(await findAll(maps, 'mäp 3'), []);
    });

    it('takes no character for more than itself', async () => {
      const characters = [...'*?_.%\\"\'()[]{}&~#@<>|+-^$!=,;:'];
      await commitPaths(...characters.map((character) => `file${character}name`), 'filename', 'file name');
      for (const character of characters) {
        const found = await stores.index.find(maps, { part: `le${character}na`, limit: 10 });
        assert.equal(found.resources.length, 1, character);
      }
    });

    it('takes a percent-encoded character for one character', async () => {
      await commitPaths('file name', 'a/20', 'x%20y', 'ä');
      assert.deepEqual(await findAll(maps, '20'), ['/a/20', '/x%2520y']);
      assert.deepEqual(await findAll(maps, 'a4'), []);
      assert.deepEqual(await findAll(maps, '%20'), ['/file%20name', '/x%2520y']);
      assert.deepEqual(await findAll(maps, '%'), ['/x%2520y']);
    });

    it('tells the state of what it finds, and nothing of what was deleted', async () => {
      const state = { length: 7, mime: 'image/tiff' };
      await stores.index.commit([upsert(maps, 'a/map', state), upsert(maps, 'b/map'), deletion(maps, 'b/map')]);
      const { resources, next } = await stores.index.find(maps, { part: 'map', limit: 10 });
      assert.deepEqual(
        resources.map(({ key, state }) => [key, state]),
        [['/a/map', state]],
      );
      assert.equal(next, undefined);
      assert.deepEqual(await findAll(maps, '/b'), []);
    });

    it('finds beginnings of paths, and after ^ of URIs elsewhere', async () => {
      await commitPaths('2026/a', '2026/b c', 'x/2026/a', 'https');
      await stores.index.commit([elsewhere('https://elsewhere.example/2026/a'), elsewhere('urn:x:2026/a')]);
      assert.deepEqual(await findAll(maps, '/2026/'), ['/2026/a', '/2026/b%20c']);
      assert.deepEqual(await findAll(maps, '^2026/b c'), ['/2026/b%20c']);
      assert.deepEqual(await findAll(maps, '^https'), ['/https', 'https://elsewhere.example/2026/a']);
      assert.deepEqual(await findAll(maps, '2026/a'), [
        '/2026/a',
        '/x/2026/a',
        'https://elsewhere.example/2026/a',
        'urn:x:2026/a',
      ]);
      assert.equal((await findAll(maps, '^', 2)).length, 6);
    });

    it('goes on where it ended, and finds each resource once', async () => {
      const paths = Array.from({ length: 3_000 }, (_, number) => `records/${String(number).padStart(5, '0')}.xml`);
      await commitPaths(...paths);
      const holding = (text: string) => paths.map((path) => `/${path}`).filter((key) => key.includes(text));
      assert.deepEqual(await findAll(maps, '7', 400), holding('7'));
      assert.deepEqual(await findAll(maps, '77', 10), holding('77'));
      assert.deepEqual(await findAll(maps, '/records/002', 30), holding('/002'));
      assert.deepEqual(await findAll(maps, 'xml', 1_000), holding('xml'));
    });

    it('goes on above any text that is given for a key', async () => {
      await commitPaths('a', 'aé', 'b', 'é');
      const above = async (after: string, part = '') =>
        (await stores.index.find(maps, { part, after, limit: 10 })).resources.map(({ key }) => key);
      assert.deepEqual(await above('/a', '^'), ['/a%C3%A9', '/b']);
      const others = ['\u{1f600}', '~~\u{1f600}', '\ud83d', 'x'.repeat(16_000)];
      for (const after of ['é', '\u{1f5fa}', '~~', '/é', ...others]) {
        assert.deepEqual(await above(after, 'a'), [], after);
        assert.deepEqual(await above(after, '/a'), [], after);
        assert.deepEqual(await collect(stores.index.read(maps, { from: after })), [], after);
      }
      for (const after of ['\0', '/', '/\0', '/ ']) {
        assert.equal((await collect(stores.index.read(maps, { from: after }))).length, 4, after);
        assert.deepEqual(await above(after, '/a'), ['/a', '/a%C3%A9'], after);
      }
      assert.deepEqual(await above('/', 'a'), ['/a', '/a%C3%A9']);
    });

    it('refuses a text that is too long', async () => {
      const isInvalid = (error: unknown) => isTidemarkError(error, 'invalid');
      await assert.rejects(stores.index.find(maps, { part: 'ä'.repeat(50), limit: 1 }), isInvalid);
      // The longest one that is allowed, in the worst characters.
      assert.deepEqual((await stores.index.find(maps, { part: 'é'.repeat(20), limit: 1 })).resources, []);
      assert.deepEqual((await stores.index.find(maps, { part: '.'.repeat(120), limit: 1 })).resources, []);
    });
  });

  describe('latest', () => {
    it('tells the newest changes first, and goes on to the oldest', async () => {
      await stores.index.commit(['a', 'b', 'c'].map((path) => upsert(maps, path)));
      await stores.index.commit([upsert(texts, 'x'), deletion(maps, 'b'), upsert(maps, 'c', { length: 2 })]);
      const all = (await collect(stores.index.changes(maps, { after: 0 }))).toReversed();
      assert.deepEqual(await stores.index.latest(maps, { limit: 100 }), all);
      const paged: typeof all = [];
      for (let before: number | undefined; ; before = paged.at(-1)!.stamp - 1) {
        const changes = await stores.index.latest(maps, { before, limit: 2 });
        paged.push(...changes);
        if (changes.length < 2) break;
      }
      assert.deepEqual(paged, all);
      assert.deepEqual(await stores.index.latest(maps, { after: all[2]!.stamp + 1, limit: 9 }), all.slice(0, 2));
    });

    it('tells more than one batch of them', async () => {
      await stores.index.commit(Array.from({ length: 1_200 }, (_, number) => upsert(maps, `file-${number}`)));
      const changes = await stores.index.latest(maps, { limit: 1_100 });
      const expected = Array.from({ length: 1_100 }, (_, at) => `/file-${1_199 - at}`);
      assert.deepEqual(
        changes.map(({ key }) => key),
        expected,
      );
    });
  });

  describe('history', () => {
    it('tells what became of one resource, newest first', async () => {
      await stores.index.commit([upsert(maps, 'a'), upsert(maps, 'b'), upsert(texts, 'a')]);
      await stores.index.commit([upsert(maps, 'a', { length: 2 }), deletion(maps, 'b'), deletion(maps, 'a')]);
      await stores.index.commit([upsert(maps, 'a', { length: 3 }), upsert(maps, 'a', { length: 4 })]);
      const all = (await collect(stores.index.changes(maps, { after: 0 }))).filter(({ key }) => key === '/a');
      assert.equal(all.length, 5);
      assert.deepEqual(await stores.index.history(maps, '/a', { limit: 10 }), all.toReversed());
      assert.deepEqual(
        (await stores.index.history(maps, '/b', { limit: 10 })).map(({ kind }) => kind),
        ['deleted', 'created'],
      );
      assert.deepEqual(await stores.index.history(maps, '/none', { limit: 10 }), []);
    });

    it('goes on from a change, and from any boundary', async () => {
      for (let length = 1; length <= 7; length++) {
        await stores.index.commit([upsert(maps, 'a', { length }), upsert(maps, `other-${length}`)]);
      }
      const lengths = async (before: number | undefined, limit: number) =>
        (await stores.index.history(maps, '/a', { before, limit })).map(({ state }) => state!.length);
      const all = await stores.index.history(maps, '/a', { limit: 10 });
      assert.deepEqual(await lengths(all[1]!.stamp - 1, 3), [5, 4, 3]);
      // Beside a change of another resource.
      assert.deepEqual(await lengths(all[1]!.stamp + 3, 3), [6, 5, 4]);
      assert.deepEqual(await lengths(all.at(-1)!.stamp - 1, 3), []);
      assert.deepEqual(await lengths(undefined, 1), [7]);
    });

    it('takes a path and a URI that are written alike for two resources', async () => {
      await stores.index.commit([
        upsert(maps, 'urn:example:thing', { length: 1 }),
        elsewhere('urn:example:thing', { length: 2 }),
        upsert(maps, 'urn:example:thing', { length: 3 }),
      ]);
      const lengths = async (key: string, limit: number) =>
        (await stores.index.history(maps, key, { limit })).map(({ state }) => state!.length);
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
      const after = (await stores.index.mark()) - 1_000_000;
      await stores.index.commit([upsert(maps, 'a'), upsert(texts, 'x'), upsert(maps, 'b'), deletion(maps, 'a')]);
      const counts = await stores.index.activity(maps, { after, until: after + 24 * HOUR, unit: 'day' });
      const sum = (kind: 'created' | 'deleted') => counts.reduce((total, count) => total + count[kind], 0);
      assert.deepEqual([sum('created'), sum('deleted')], [2, 1]);
    });
  });

  it('answers an empty set with nothing, and an unknown one with not-found', async () => {
    const { index } = stores;
    const range = { after: 1, until: 3_600_000_001, unit: 'hour' } as const;
    assert.deepEqual(await index.find(texts, { part: 'a', limit: 1 }), { resources: [], next: undefined });
    assert.deepEqual(await index.find(texts, { part: '/a', limit: 1 }), { resources: [], next: undefined });
    assert.deepEqual(await index.latest(texts, { limit: 1 }), []);
    assert.deepEqual(await index.activity(texts, range), []);
    await assert.rejects(index.find(999, { part: 'a', limit: 1 }), isNotFound);
    await assert.rejects(index.find(999, { part: '/a', limit: 1 }), isNotFound);
    await assert.rejects(index.latest(999, { limit: 1 }), isNotFound);
    await assert.rejects(index.history(999, '/a', { limit: 1 }), isNotFound);
    await assert.rejects(index.activity(999, range), isNotFound);
  });
}
