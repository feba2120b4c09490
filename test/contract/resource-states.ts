import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../src/core/change.ts';
import { entryWeight } from '../../src/core/entry-weight.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { encodeState } from '../../src/core/resource.ts';
import type { CommitResult } from '../../src/stores/commit-result.ts';
import { collect, deletion, shuffled, URL_PREFIX, upsert } from '../support/builders.ts';
import { type StartStores, TwoSets } from '../support/two-sets.ts';

const LIMITS = { entries: 10, weight: 1e9 };

/** What every store promises of current states. */
export function resourceStatesContract(start: StartStores): void {
  const two = new TwoSets(start);

  const isNotFound = (error: unknown) => isTidemarkError(error, 'not-found');
  /** Follows `next` to the end. */
  async function findAll(set: number, part: string, limit = 1_000): Promise<string[]> {
    const keys: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { resources, next } = await two.stores.index.find(set, { part, after, limit });
      assert.ok(resources.length <= limit);
      keys.push(...resources.map(({ key }) => key));
      assert.ok(next === undefined || next > after, 'a search goes on');
      after = next;
    }
    return keys;
  }
  const commitPaths = (...paths: readonly string[]) =>
    two.stores.index.commit(shuffled(paths).map((path) => upsert(two.maps, path)));
  function elsewhere(uri: string, state: ChangeEvent['state'] = { length: 1 }): ChangeEvent {
    return { set: two.maps, key: uri, state, weight: entryWeight(URL_PREFIX, uri, state) };
  }
  const keysOf = async (set: number, range = {}) =>
    (await collect(two.stores.index.read(set, range))).map(({ key }) => key);

  describe('read', () => {
    it('reads every live resource exactly once, in byte order', async () => {
      // U+FF5E sorts after U+1F5FA by UTF-16 code units, but before it by UTF-8 bytes.
      const paths = ['1', '10', '2', '~', '\uff5e', '\u{1f5fa}', 'a b', 'a/b', 'a.b'];
      await two.stores.index.commit(paths.toReversed().map((path) => upsert(two.maps, path)));
      await two.stores.index.commit([deletion(two.maps, '2')]);
      const keys = await keysOf(two.maps);
      assert.deepEqual(
        keys,
        [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
      assert.equal(keys.length, paths.length - 1);
    });

    it('reads in batches, and keeps to a range', async () => {
      const paths = Array.from({ length: 12_000 }, (_, number) => String(number).padStart(5, '0'));
      await two.stores.index.commit(shuffled(paths).map((path) => upsert(two.maps, path)));
      let batches = 0;
      for await (const _ of two.stores.index.read(two.maps, {})) batches++;
      assert.ok(batches > 1);
      assert.deepEqual(
        await keysOf(two.maps),
        paths.map((path) => `/${path}`),
      );
      assert.deepEqual(await keysOf(two.maps, { from: '/00010', to: '/00012' }), ['/00010', '/00011']);
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
          {
            rel: 'duplicate',
            href: 'https://mirror.example.org/a',
            pri: 2,
            modified: 1_700_000_001,
            length: 5,
            hashes: { 'sha-1': 'c'.repeat(40) },
          },
        ],
      };
      await two.stores.index.commit([upsert(two.maps, 'a', state)]);
      assert.deepEqual((await collect(two.stores.index.read(two.maps, {})))[0]!.state, state);
      assert.deepEqual((await two.stores.index.lookup(two.maps, ['/a']))[0]!.state, state);
    });

    it('gives the states as text, in the same order, without tombstones', async () => {
      const paths = Array.from({ length: 700 }, (_, number) => `${number} é`);
      const hashes = { md5: 'a'.repeat(32), 'sha-256': 'b'.repeat(64) };
      await two.stores.index.commit(
        paths.map((path, length) => upsert(two.maps, path, { length, mime: 'a/b;c="d"', hashes })),
      );
      await two.stores.index.commit([deletion(two.maps, '7 é')]);
      const read = await collect(two.stores.index.read(two.maps, {}));
      const states = await collect(two.stores.index.states(two.maps));
      assert.equal(states.length, 699);
      assert.deepEqual(
        states,
        read.map(({ key, state }) => ({ key, state: encodeState(state) })),
      );
      await assert.rejects(collect(two.stores.index.states(999)), isNotFound);
    });

    it('returns a tombstone only on request', async () => {
      await two.stores.index.commit([upsert(two.maps, 'a'), upsert(two.maps, 'b'), deletion(two.maps, 'a')]);
      assert.deepEqual(await keysOf(two.maps), ['/b']);
      const all = await collect(two.stores.index.read(two.maps, { tombstones: true }));
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
      await two.stores.index.commit(paths.map((path) => upsert(two.maps, path)));
      const seen: string[] = [];
      for await (const batch of two.stores.index.read(two.maps, {})) {
        seen.push(...batch.map(({ key }) => key));
        await two.stores.index.commit([
          upsert(two.maps, `new-${seen.length}`),
          upsert(two.maps, '00000', { length: seen.length }),
        ]);
      }
      assert.deepEqual(
        seen.filter((key) => !key.startsWith('/new')),
        paths.map((path) => `/${path}`),
      );
    });
  });

  it('looks up states in the order of the keys', async () => {
    const [created] = appliedOf(
      await two.stores.index.commit([upsert(two.maps, 'a'), upsert(two.maps, 'b'), deletion(two.maps, 'b')]),
    );
    const [none, b, a] = await two.stores.index.lookup(two.maps, ['/none', '/b', '/a']);
    assert.equal(none, undefined);
    assert.equal(b!.state, undefined);
    assert.deepEqual([a!.stamp, a!.created], [created!.stamp, created!.stamp]);
  });

  it('returns the stamps of the last changes of keys, in their order', async () => {
    const [, updated, , deleted] = appliedOf(
      await two.stores.index.commit([
        upsert(two.maps, 'a'),
        upsert(two.maps, 'a', { length: 5 }),
        upsert(two.maps, 'b'),
        deletion(two.maps, 'b'),
        upsert(two.texts, 'c'),
      ]),
    );
    const keys = ['/none', '/b', '/a', '/c', '/b'];
    const stamps = await two.stores.index.lastChanges(two.maps, keys);
    assert.deepEqual(stamps, [0, deleted!.stamp, updated!.stamp, 0, deleted!.stamp]);
    assert.deepEqual(await two.stores.index.lastChanges(two.maps, []), []);
  });

  it('returns when a resource was created last', async () => {
    await two.stores.index.commit([upsert(two.maps, 'a'), deletion(two.maps, 'a')]);
    const [again, updated] = appliedOf(
      await two.stores.index.commit([upsert(two.maps, 'a'), upsert(two.maps, 'a', { length: 5 })]),
    );
    const [a] = await two.stores.index.lookup(two.maps, ['/a']);
    assert.deepEqual([a!.created, a!.stamp], [again!.stamp, updated!.stamp]);
  });

  describe('survey', () => {
    it('cuts a range into even pieces within the limits, that hold every live key once', async () => {
      const paths = Array.from({ length: 101 }, (_, number) => String(number).padStart(4, '0'));
      await two.stores.index.commit(shuffled(paths).map((path) => upsert(two.maps, path)));
      await two.stores.index.commit([deletion(two.maps, '0050')]);
      const { pieces, through } = await two.stores.index.survey(two.maps, {}, LIMITS);
      assert.equal(through, await two.stores.index.watermark());
      assert.equal(
        pieces.reduce((sum, { entries }) => sum + entries, 0),
        100,
      );
      assert.ok(pieces.length <= 15, `${pieces.length} pieces`);
      for (const [at, piece] of pieces.entries()) {
        const keys = await keysOf(two.maps, { from: piece.from, to: pieces[at + 1]?.from });
        assert.equal(keys.length, piece.entries);
        assert.equal(keys.at(-1), piece.last);
        assert.ok(keys.length <= LIMITS.entries);
      }
    });

    it('keeps to the limit of weight', async () => {
      await two.stores.index.commit(Array.from({ length: 40 }, (_, number) => upsert(two.maps, `file-${number}`)));
      const { weight } = upsert(two.maps, 'file-10');
      const { pieces } = await two.stores.index.survey(two.maps, {}, { entries: 1_000, weight: weight * 10 });
      assert.ok(pieces.length >= 4);
      assert.ok(pieces.every((piece) => piece.weight <= weight * 10 && piece.entries > 0));
    });

    it('answers one empty piece for a set without resources, and knows of its tombstones', async () => {
      const [, deleted] = appliedOf(await two.stores.index.commit([upsert(two.maps, 'a'), deletion(two.maps, 'a')]));
      const { pieces } = await two.stores.index.survey(two.maps, {}, LIMITS);
      assert.deepEqual(pieces, [{ from: undefined, last: undefined, entries: 0, weight: 0, newest: deleted!.stamp }]);
    });
  });

  describe('find', () => {
    it('finds what a person types, wherever it is in the key, in the order of the keys', async () => {
      await commitPaths('Karten/Mäp 1.tif', 'karten/mäp 2.tif', 'karten/mp.tif', 'x/MäP 11');
      await two.stores.index.commit([upsert(two.texts, 'mäp 1'), deletion(two.maps, 'karten/mäp 2.tif')]);
      assert.deepEqual(await findAll(two.maps, 'mäp 1'), ['/Karten/M%C3%A4p%201.tif', '/x/M%C3%A4P%2011']);
      assert.deepEqual(await findAll(two.maps, 'TEN/M'), ['/Karten/M%C3%A4p%201.tif', '/karten/mp.tif']);
      assert.deepEqual(await findAll(two.maps, 'm%c3%a4p%201'), ['/Karten/M%C3%A4p%201.tif', '/x/M%C3%A4P%2011']);
      assert.deepEqual(await findAll(two.maps, 'mäp 3'), []);
    });

    it('takes every character literally', async () => {
      const characters = [...'*?_.%\\"\'()[]{}&~#@<>|+-^$!=,;:'];
      await commitPaths(...characters.map((character) => `file${character}name`), 'filename', 'file name');
      for (const character of characters) {
        const found = await two.stores.index.find(two.maps, { part: `le${character}na`, limit: 10 });
        assert.equal(found.resources.length, 1, character);
      }
    });

    it('takes a percent-encoded character for one character', async () => {
      await commitPaths('file name', 'a/20', 'x%20y', 'ä');
      assert.deepEqual(await findAll(two.maps, '20'), ['/a/20', '/x%2520y']);
      assert.deepEqual(await findAll(two.maps, 'a4'), []);
      assert.deepEqual(await findAll(two.maps, '%20'), ['/file%20name', '/x%2520y']);
      assert.deepEqual(await findAll(two.maps, '%'), ['/x%2520y']);
    });

    it('returns the state of what it finds, and nothing of what was deleted', async () => {
      const state = { length: 7, mime: 'image/tiff' };
      await two.stores.index.commit([
        upsert(two.maps, 'a/map', state),
        upsert(two.maps, 'b/map'),
        deletion(two.maps, 'b/map'),
      ]);
      const { resources, next } = await two.stores.index.find(two.maps, { part: 'map', limit: 10 });
      assert.deepEqual(
        resources.map(({ key, state }) => [key, state]),
        [['/a/map', state]],
      );
      assert.equal(next, undefined);
      assert.deepEqual(await findAll(two.maps, '/b'), []);
    });

    it('finds beginnings of paths, and after ^ of URIs elsewhere', async () => {
      await commitPaths('2026/a', '2026/b c', 'x/2026/a', 'https');
      await two.stores.index.commit([elsewhere('https://elsewhere.example/2026/a'), elsewhere('urn:x:2026/a')]);
      assert.deepEqual(await findAll(two.maps, '/2026/'), ['/2026/a', '/2026/b%20c']);
      assert.deepEqual(await findAll(two.maps, '^2026/b c'), ['/2026/b%20c']);
      assert.deepEqual(await findAll(two.maps, '^https'), ['/https', 'https://elsewhere.example/2026/a']);
      assert.deepEqual(await findAll(two.maps, '2026/a'), [
        '/2026/a',
        '/x/2026/a',
        'https://elsewhere.example/2026/a',
        'urn:x:2026/a',
      ]);
      assert.equal((await findAll(two.maps, '^', 2)).length, 6);
    });

    it('goes on where it ended, and finds each resource once', async () => {
      const paths = Array.from({ length: 3_000 }, (_, number) => `records/${String(number).padStart(5, '0')}.xml`);
      await commitPaths(...paths);
      const holding = (text: string) => paths.map((path) => `/${path}`).filter((key) => key.includes(text));
      assert.deepEqual(await findAll(two.maps, '7', 400), holding('7'));
      assert.deepEqual(await findAll(two.maps, '77', 10), holding('77'));
      assert.deepEqual(await findAll(two.maps, '/records/002', 30), holding('/002'));
      assert.deepEqual(await findAll(two.maps, 'xml', 1_000), holding('xml'));
    });

    it('goes on above any text that is given for a key', async () => {
      await commitPaths('a', 'aé', 'b', 'é');
      const above = async (after: string, part = '') =>
        (await two.stores.index.find(two.maps, { part, after, limit: 10 })).resources.map(({ key }) => key);
      assert.deepEqual(await above('/a', '^'), ['/a%C3%A9', '/b']);
      const others = ['\u{1f600}', '~~\u{1f600}', '\ud83d', 'x'.repeat(16_000)];
      for (const after of ['é', '\u{1f5fa}', '~~', '/é', ...others]) {
        assert.deepEqual(await above(after, 'a'), [], after);
        assert.deepEqual(await above(after, '/a'), [], after);
        assert.deepEqual(await collect(two.stores.index.read(two.maps, { from: after })), [], after);
      }
      for (const after of ['\0', '/', '/\0', '/ ']) {
        assert.equal((await collect(two.stores.index.read(two.maps, { from: after }))).length, 4, after);
        assert.deepEqual(await above(after, '/a'), ['/a', '/a%C3%A9'], after);
      }
      assert.deepEqual(await above('/', 'a'), ['/a', '/a%C3%A9']);
    });

    it('refuses a text that is too long', async () => {
      const isInvalid = (error: unknown) => isTidemarkError(error, 'invalid');
      await assert.rejects(two.stores.index.find(two.maps, { part: 'a'.repeat(121), limit: 1 }), isInvalid);
      // The longest one that is allowed, in the worst characters.
      for (const part of ['é', '日', '\u{1f600}', '.', '*', '%', '^', '/'].map((character) =>
        character.repeat(120).slice(0, 120),
      )) {
        assert.deepEqual((await two.stores.index.find(two.maps, { part, limit: 1 })).resources, [], part);
      }
    });
  });

  it('answers not-found for an unknown set', async () => {
    await assert.rejects(collect(two.stores.index.read(999, {})), isNotFound);
    await assert.rejects(two.stores.index.lookup(999, ['/a']), isNotFound);
    await assert.rejects(two.stores.index.lastChanges(999, ['/a']), isNotFound);
    await assert.rejects(two.stores.index.survey(999, {}, LIMITS), isNotFound);
  });

  it('answers an empty set with nothing', async () => {
    assert.deepEqual(await keysOf(two.texts), []);
    assert.deepEqual(await two.stores.index.find(two.texts, { part: 'a', limit: 1 }), {
      resources: [],
      next: undefined,
    });
    assert.deepEqual(await two.stores.index.find(two.texts, { part: '/a', limit: 1 }), {
      resources: [],
      next: undefined,
    });
    await assert.rejects(two.stores.index.find(999, { part: 'a', limit: 1 }), isNotFound);
    await assert.rejects(two.stores.index.find(999, { part: '/a', limit: 1 }), isNotFound);
  });
}

function appliedOf(results: readonly CommitResult[]) {
  return results.map((result) => (result.status === 'applied' ? result : assert.fail(JSON.stringify(result))));
}
