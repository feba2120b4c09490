import assert from 'node:assert/strict';
import { isTidemarkError } from '../../src/core/errors.ts';
import { catalogId } from '../../src/stores/document-of-set.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import { collect, upsert } from '../support/builders.ts';
import { until } from '../support/until.ts';

const SET = 1;
const NEW_STORE = 'sqlite:/new/tidemark.db';
const isPaused = (error: unknown) => isTidemarkError(error, 'unavailable') && /takes no changes/.test(error.message);
const hasMoved = (error: unknown) =>
  isTidemarkError(error, 'unavailable') && error.details.movedTo === NEW_STORE && error.message.includes(NEW_STORE);

/** What every StoreFence promises. */
export function storeFenceContract(start: () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>): void {
  let place: Awaited<ReturnType<typeof start>>;
  let stores: Stores;
  let other: Stores;

  beforeEach(async () => {
    place = await start();
    [stores, other] = await Promise.all([place.open(), place.open()]);
    const set = { id: SET, slug: 'maps', urlPrefix: 'http://example.org/set/', origin: { kind: 'posted' }, epoch: 1 };
    await stores.catalog.put('set', catalogId(SET), set, undefined);
    await other.index.commit([upsert(SET, 'a')]);
    await other.jobs.add('build', 'first', {});
  });
  afterEach(async () => {
    await stores.close();
    await other.close();
    await place.dispose();
  });

  /** Each kind of write, by its name. */
  const writes = (by: Stores): Readonly<Record<string, () => Promise<unknown>>> => ({
    change: () => by.index.commit([upsert(SET, `${Math.random()}`)]),
    unchanged: () => by.index.commit([upsert(SET, 'a')]),
    mark: () => by.index.mark(),
    document: () => by.catalog.put('token', `${Math.random()}`, {}, undefined),
    job: () => by.jobs.add('build', `${Math.random()}`, {}),
    claim: () => by.jobs.claimer({ kinds: ['build'], worker: { name: 'one', leaseMs: 60_000 } }).claim(),
  });

  async function refusesAll(by: Stores, isExpected: (error: unknown) => boolean): Promise<void> {
    for (const [name, write] of Object.entries(writes(by))) await assert.rejects(write(), isExpected, name);
  }

  async function acceptsAll(by: Stores): Promise<void> {
    for (const write of Object.values(writes(by))) await write();
  }

  const logOf = (of: Stores) => collect(of.index.log({ after: 0 }));

  it('refuses every write of every process during a pause, and no read', async () => {
    const pause = await stores.fence.pause();
    for (const each of [stores, other]) {
      assert.deepEqual(await each.fence.state(), { state: 'paused' });
      await refusesAll(each, isPaused);
      assert.equal((await logOf(each)).length, 1);
      assert.equal((await each.catalog.list('set')).length, 1);
      assert.equal((await each.jobs.get('build/first')).state, 'queued');
    }
    await stores.fence.release(pause);
    for (const each of [stores, other]) await acceptsAll(each);
    assert.deepEqual(await other.fence.state(), { state: 'open' });
  });

  it('lets a pause end by itself, and then does not mark the store', async () => {
    // Long enough for a busy machine to see it.
    const pause = await stores.fence.pause(2_000);
    await assert.rejects(other.catalog.put('token', 'b', {}, undefined), isPaused);
    await until('the end of the pause', () =>
      writes(other).document!().then(
        () => true,
        (error) => !isPaused(error) && Promise.reject(error),
      ),
    );
    assert.equal(await stores.fence.move(pause, NEW_STORE), false);
    await stores.fence.release(pause);
    for (const each of [stores, other]) await acceptsAll(each);
  });

  for (const write of ['change', 'document', 'job']) {
    it(`never marks the store after the next acknowledged write (${write})`, async () => {
      const pause = await stores.fence.pause(50);
      await until('a write', () =>
        writes(other)[write]!().then(
          () => true,
          () => false,
        ),
      );
      assert.equal(await stores.fence.move(pause, NEW_STORE), false);
      assert.deepEqual(await other.fence.state(), { state: 'open' });
    });
  }

  it('refuses every write of every process for good once the store has moved', async () => {
    const pause = await stores.fence.pause();
    assert.equal(await stores.fence.move(pause, NEW_STORE), true);
    const late = await place.open();
    for (const each of [stores, other, late]) {
      assert.deepEqual(await each.fence.state(), { state: 'moved', to: NEW_STORE });
      await refusesAll(each, hasMoved);
      assert.equal((await logOf(each)).length, 1);
    }
    await assert.rejects(other.fence.pause(), hasMoved);
    await stores.fence.release(pause);
    await refusesAll(other, hasMoved);
    await late.close();
  });

  it('marks the store after a pause that no writer has noticed to be over', async () => {
    const pause = await stores.fence.pause(1);
    await until('the end of the pause', async () => (await stores.fence.state()).state === 'open');
    assert.equal(await stores.fence.move(pause, NEW_STORE), true);
    await refusesAll(other, hasMoved);
  });

  it('takes the mark back', async () => {
    const pause = await stores.fence.pause();
    await stores.fence.move(pause, NEW_STORE);
    await refusesAll(other, hasMoved);
    await other.fence.takeBack();
    for (const each of [stores, other]) await acceptsAll(each);
    assert.equal(await stores.fence.move(pause, NEW_STORE), false);
    // And once more.
    const again = await other.fence.pause();
    await refusesAll(stores, isPaused);
    assert.equal(await stores.fence.move(pause, NEW_STORE), false);
    await stores.fence.release(pause);
    await refusesAll(stores, isPaused);
    assert.equal(await other.fence.move(again, NEW_STORE), true);
    await refusesAll(stores, hasMoved);
  });

  it('has one pause at a time', async () => {
    const pauses = await Promise.allSettled([stores.fence.pause(), other.fence.pause()]);
    const [won] = pauses.filter(({ status }) => status === 'fulfilled');
    assert.equal(pauses.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.ok(pauses.some((each) => each.status === 'rejected' && isTidemarkError(each.reason, 'conflict')));
    await stores.fence.release((won as PromiseFulfilledResult<Awaited<ReturnType<Stores['fence']['pause']>>>).value);
    await acceptsAll(other);
  });

  it('finds every acknowledged write before a pause, and none after it, among many writers', async () => {
    const acknowledged = { keys: [] as string[], documents: [] as string[], jobs: [] as string[] };
    let isOver = false;
    const writing = [stores, other].map(async (by, process) => {
      for (let at = 0; !isOver; at++) {
        const name = `${process}-${at}`;
        const results = await Promise.allSettled([
          by.index.commit([upsert(SET, name)]),
          by.catalog.put('token', name, {}, undefined),
          by.jobs.add('build', name, {}),
        ]);
        for (const [at, list] of Object.values(acknowledged).entries()) {
          if (results[at]!.status === 'fulfilled') list.push(name);
        }
      }
    });
    await until('writes', async () => acknowledged.keys.length > 10);
    const pause = await stores.fence.pause();
    const [log, documents, jobs] = await Promise.all([
      logOf(stores),
      stores.catalog.list('token'),
      stores.jobs.list({ limit: 10_000 }),
    ]);
    assert.equal(await stores.fence.move(pause, NEW_STORE), true);
    isOver = true;
    await Promise.all(writing);
    const found = {
      keys: new Set(log.map(({ key }) => key.slice(1))),
      documents: new Set(documents.map(({ id }) => id)),
      jobs: new Set(jobs.map(({ id }) => id)),
    };
    for (const kind of ['keys', 'documents', 'jobs'] as const) {
      assert.deepEqual(
        acknowledged[kind].filter((name) => !found[kind].has(name)),
        [],
        kind,
      );
    }
  });
}
