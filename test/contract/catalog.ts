import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { isTidemarkError } from '../../src/core/errors.ts';
import type { CatalogPage } from '../../src/stores/catalog.ts';
import { CatalogFollower } from '../../src/stores/catalog-follower.ts';
import type { Stores } from '../../src/stores/open-stores.ts';

const isConflict = (error: unknown) => isTidemarkError(error, 'conflict');

/** What every Catalog promises. */
export function catalogContract(start: () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>): void {
  let place: Awaited<ReturnType<typeof start>>;
  let stores: Stores;
  let other: Stores;

  beforeEach(async () => {
    place = await start();
    stores = await place.open();
    other = await place.open();
  });

  afterEach(async () => {
    await stores.close();
    await other.close();
    await place.dispose();
  });

  it('keeps a document, and shows it to other processes', async () => {
    const body = { text: 'Größe "1"', list: [1, null, { a: true }] };
    const version = await stores.catalog.put('source', 'source', body, undefined);
    assert.deepEqual(await other.catalog.get('source', 'source'), { id: 'source', version, body });
    assert.equal(await stores.catalog.get('source', 'another'), undefined);
  });

  it('replaces only the version that was read', async () => {
    const first = await stores.catalog.put('set', '1', { a: 1 }, undefined);
    const second = await other.catalog.put('set', '1', { a: 2 }, first);
    assert.ok(second > first);
    await assert.rejects(stores.catalog.put('set', '1', { a: 3 }, first), isConflict);
    await assert.rejects(stores.catalog.put('set', '1', { a: 3 }, undefined), isConflict);
    await assert.rejects(stores.catalog.put('set', '2', { a: 3 }, second), isConflict);
    assert.deepEqual((await stores.catalog.get('set', '1'))!.body, { a: 2 });
  });

  it('lets one of many writers win', async () => {
    const version = await stores.catalog.put('set', '1', { winner: -1 }, undefined);
    const attempts = Array.from({ length: 20 }, (_, winner) =>
      (winner % 2 === 0 ? stores : other).catalog.put('set', '1', { winner }, version).then(
        () => winner,
        (error) => (isConflict(error) ? undefined : Promise.reject(error)),
      ),
    );
    const winners = (await Promise.all(attempts)).filter((winner) => winner !== undefined);
    assert.equal(winners.length, 1);
    assert.deepEqual((await stores.catalog.get('set', '1'))!.body, { winner: winners[0] });
  });

  it('lists a kind by id, and nothing of another kind', async () => {
    for (const id of ['b', 'a', 'c']) await stores.catalog.put('set', id, { id }, undefined);
    await stores.catalog.put('page-directory', 'a', {}, undefined);
    assert.deepEqual(
      (await other.catalog.list('set')).map(({ id }) => id),
      ['a', 'b', 'c'],
    );
  });

  it('lists what was put after a version, and nothing that it replaced', async () => {
    const put = (id: string, replaces?: number) => stores.catalog.put('set', id, { replaces }, replaces);
    const [a, b] = [await put('a'), await put('b')];
    const since = await other.catalog.head('set');
    await other.catalog.put('page-directory', 'c', {}, undefined);
    assert.deepEqual(await other.catalog.list('set', since), []);

    const [d, again] = [await put('d'), await put('a', a)];
    assert.deepEqual(await other.catalog.list('set', since), [
      { id: 'a', version: again, body: { replaces: a } },
      { id: 'd', version: d, body: {} },
    ]);
    assert.deepEqual(
      (await other.catalog.list('set', a)).map(({ version }) => version),
      [again, b, d],
    );
    assert.deepEqual(await other.catalog.list('set', again), []);
  });

  it('lists the first documents that were put after a version, up to a limit', async () => {
    const put = (id: string, replaces?: number) => stores.catalog.put('set', id, {}, replaces);
    const a = await put('c');
    const versions = [await put('b'), await put('a'), await put('c', a)];
    const list = async (after: number, limit: number) =>
      (await other.catalog.list('set', after, limit)).map(({ id, version }) => [id, version]);

    assert.deepEqual(await list(0, 2), [
      ['b', versions[0]],
      ['a', versions[1]],
    ]);
    assert.deepEqual(await list(versions[1]!, 2), [['c', versions[2]]]);
    assert.deepEqual(await list(versions[2]!, 2), []);
  });

  it('lists the last documents below a prefix, and continues before one', async () => {
    const ids = ['a/b/1', 'a/b/2', 'a/b/3', 'a/b-2/9', 'a/bc/9', 'a/b', 'b/b/9'];
    for (const id of ids.toReversed()) await stores.catalog.put('set', id, { id }, undefined);
    await stores.catalog.put('page-directory', 'a/b/9', {}, undefined);
    const latest = async (...args: [prefix: string, page?: CatalogPage]) =>
      (await other.catalog.latest('set', ...args)).map(({ id }) => id);

    assert.deepEqual(await latest('a/b/'), ['a/b/3', 'a/b/2', 'a/b/1']);
    assert.deepEqual(await latest('a/b/', { limit: 2 }), ['a/b/3', 'a/b/2']);
    assert.deepEqual(await latest('a/b/', { before: 'a/b/2', limit: 2 }), ['a/b/1']);
    assert.deepEqual(await latest('a/b/', { before: 'a/b/1' }), []);
    assert.deepEqual(await latest('a/b'), ['a/bc/9', 'a/b/3', 'a/b/2', 'a/b/1', 'a/b-2/9', 'a/b']);
    assert.deepEqual(await latest('c/'), []);
    assert.deepEqual(await latest('', { limit: 2 }), (await latest('')).slice(0, 2));
    assert.ok((await latest('')).length >= (await latest('a/')).length, 'an empty prefix is that of all');
    const [last] = await other.catalog.latest('set', 'a/b/', { limit: 1 });
    assert.deepEqual(last, await stores.catalog.get('set', 'a/b/3'));
  });

  it('lists every put to a reader that continues from the head, while many put', async () => {
    const listed = new Set<string>();
    const paged = new Set<string>();
    let head = 0;
    const inPages = {
      kind: 'set',
      pageSize: 7,
      onPut: ({ id }: { readonly id: string }) => void paged.add(id),
    } as const;
    const follower = new CatalogFollower(other.catalog, inPages);
    const listOn = async () => {
      const next = await other.catalog.head('set');
      for (const { id } of await other.catalog.list('set', head)) listed.add(id);
      head = next;
      await follower.load();
    };
    const ids = Array.from({ length: 60 }, (_, number) => `set-${number}`);
    let isOver = false;
    const putting = Promise.all(ids.map((id) => stores.catalog.put('set', id, {}, undefined))).finally(() => {
      isOver = true;
    });
    const listing = (async () => {
      while (!isOver) {
        await listOn();
        // Who puts has its turn also where a list takes no time.
        await setImmediate();
      }
    })();
    await Promise.all([putting, listing]);
    await listOn();
    assert.deepEqual([...listed].sort(), ids.toSorted());
    assert.deepEqual([...paged].sort(), ids.toSorted());
  });

  it('raises the head of a kind with every put of it', async () => {
    const start = await stores.catalog.head('set');
    const version = await other.catalog.put('set', 'a', {}, undefined);
    const raised = await stores.catalog.head('set');
    assert.ok(raised > start);
    await other.catalog.put('page-directory', 'a', {}, undefined);
    assert.equal(await stores.catalog.head('set'), raised);
    await stores.catalog.put('set', 'a', {}, version);
    assert.ok((await other.catalog.head('set')) > raised);
  });
}
