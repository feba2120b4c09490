import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { SourceChanges } from '../../../src/sources/sync/source-changes.ts';

describe('Changes of a source', () => {
  let stopping: AbortController;
  let changes: SourceChanges;
  beforeEach(() => {
    stopping = new AbortController();
    changes = new SourceChanges(stopping.signal);
  });
  afterEach(() => changes.close());

  /** Whether something happens before a timer of so many milliseconds: timers run in the order of their times. */
  function isWithin(milliseconds: number, event: Promise<unknown>): Promise<boolean> {
    return Promise.race([event.then(() => true), wait(milliseconds, false)]);
  }
  const add = (...paths: readonly string[]) => {
    for (const path of paths) changes.add(path);
  };

  it('are each path once, when nothing has changed for a while', async () => {
    const settled = changes.settled();
    add('a', 'b', 'a');
    assert.equal(await isWithin(150, settled), false);
    add('c');
    assert.equal(await isWithin(150, settled), false, 'the pause begins anew');
    assert.equal(await isWithin(100, settled), true);
    assert.deepEqual(await settled, ['a', 'b', 'c']);
  });

  it('do not wait for a pause for longer than a second', async () => {
    const settled = changes.settled();
    const began = performance.now();
    const adding = setInterval(() => add(`${performance.now()}`), 50);
    try {
      await settled;
    } finally {
      clearInterval(adding);
    }
    assert.ok(performance.now() - began >= 990);
  });

  it('begin anew when they were taken', async () => {
    add('a');
    assert.deepEqual(await changes.settled(), ['a']);
    await wait(1_000);
    const settled = changes.settled();
    add('b');
    assert.equal(await isWithin(150, settled), false, 'as long a pause as for the first');
    assert.deepEqual(await settled, ['b']);
  });

  it('end with the first failure, whether it is waited for or not', async () => {
    const failure = new Error('the root vanished');
    const settled = changes.settled();
    changes.fail(failure);
    changes.fail(new Error('another one'));
    await assert.rejects(settled, failure);
    const others = new SourceChanges(stopping.signal);
    others.fail(failure);
    await assert.rejects(others.settled(), failure);
    others.close();
  });

  it('end when they are aborted, before or after', async () => {
    const settled = changes.settled();
    stopping.abort();
    assert.equal(await settled, undefined);
    assert.equal(await changes.settled(), undefined);
  });

  describe('that are waited for within some time', () => {
    it('need not come', async () => {
      assert.equal(await isWithin(90, changes.settledWithin(50)), true);
      await changes.settledWithin(0);
      await changes.settledWithin(-1);
    });

    it('end the waiting', async () => {
      const within = changes.settledWithin(3_600_000);
      add('a');
      await within;
    });

    it('leave nothing behind that would end the next one', async () => {
      const first = changes.settledWithin(300);
      add('a');
      await first;
      assert.equal(await isWithin(150, changes.settled()), false);
    });

    it('throw a failure', async () => {
      const failure = new Error('the root vanished');
      const within = changes.settledWithin(3_600_000);
      changes.fail(failure);
      await assert.rejects(within, failure);
    });
  });

  describe('that are many', () => {
    const files = (count: number, folders: number) =>
      Array.from({ length: count }, (_, at) => `${at % folders}/folder/${at}`);

    it('are all there while they are at most two thousand', async () => {
      const paths = files(2_000, 2);
      add(...paths);
      assert.deepEqual(await changes.settled(), paths);
    });

    it('are their folders', async () => {
      add(...files(2_001, 1_000));
      const settled = (await changes.settled())!;
      assert.deepEqual([settled.length, settled[0], settled[999]], [1_000, '0/folder', '999/folder']);
    });

    it('are everything when their folders are many, too', async () => {
      add(...files(2_001, 1_001));
      assert.deepEqual(await changes.settled(), ['']);
    });

    it('are everything when one of them is in no folder', async () => {
      add('file', ...files(2_000, 2));
      assert.deepEqual(await changes.settled(), ['']);
    });
  });

  it('end nothing any more when they are closed', async () => {
    const settled = changes.settled();
    add('a');
    changes.close();
    assert.equal(await isWithin(300, settled), false);
    assert.deepEqual(getEventListeners(stopping.signal, 'abort'), []);
  });
});
