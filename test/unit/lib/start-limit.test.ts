import assert from 'node:assert/strict';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { StartLimit } from '../../../src/lib/calls/start-limit.ts';

describe('A limit of tasks that run at a time', () => {
  /** Enters so many times. Returns the numbers of those that have entered, and how they leave. */
  function enterAll(limit: StartLimit, count: number, signals: readonly AbortSignal[] = []) {
    const entered: number[] = [];
    const leaving = Array.from({ length: count }, (_, number) => {
      const entering = limit.enter(signals[number]).then((leave) => {
        entered.push(number);
        return leave;
      });
      entering.catch(() => {});
      return entering;
    });
    return { entered, leaving };
  }

  it('lets them in by their order, each when another one has left', async () => {
    const { entered, leaving } = enterAll(new StartLimit(2, 60_000), 5);
    await setImmediate();
    assert.deepEqual(entered, [0, 1]);
    for (const [number, entering] of leaving.entries()) {
      const leave = await entering;
      leave();
      // Nothing happens a second time.
      leave();
      await setImmediate();
      assert.deepEqual(entered, [0, 1, 2, 3, 4].slice(0, number + 3));
    }
  });

  it('does not count one that takes long, and counts it once when it ends', async () => {
    const limit = new StartLimit(1, 20);
    const { entered, leaving } = enterAll(limit, 2);
    const leave = await leaving[0]!;
    assert.deepEqual(entered, [0]);
    (await leaving[1]!)();
    leave();
    const later = enterAll(limit, 2);
    await setImmediate();
    assert.deepEqual(later.entered, [0]);
    for (const entering of later.leaving) (await entering)();
  });

  it('goes on when one that waits is aborted', async () => {
    const aborting = new AbortController();
    const limit = new StartLimit(1, 60_000);
    const { entered, leaving } = enterAll(limit, 3, [new AbortController().signal, aborting.signal]);
    await setImmediate();
    aborting.abort(new Error('stopped'));
    await assert.rejects(leaving[1]!, /stopped/);
    (await leaving[0]!)();
    (await leaving[2]!)();
    assert.deepEqual(entered, [0, 2]);
    await assert.rejects(limit.enter(aborting.signal), /stopped/);
    (await limit.enter())();
  });

  it('loses no place when one is aborted as it may begin', async () => {
    const aborting = new AbortController();
    const limit = new StartLimit(1, 60_000);
    const leave = await limit.enter();
    const waiting = limit.enter(aborting.signal);
    waiting.catch(() => {});
    aborting.abort(new Error('stopped'));
    leave();
    await waiting.then((entered) => entered()).catch(() => {});
    const next = await Promise.race([limit.enter(), wait(5_000, undefined, { ref: false })]);
    assert.ok(next !== undefined);
    next();
  });
});
