import assert from 'node:assert/strict';
import fc from 'fast-check';
import { backoffMs, pauseAfter, retry } from '../../../src/lib/calls/retry.ts';

const AT_ONCE = { firstMs: 0, longestMs: 0 };

describe('Retrying', () => {
  const failing = (times: number) => {
    const calls = { count: 0 };
    const work = async () => {
      calls.count += 1;
      if (calls.count <= times) throw new Error(`failure ${calls.count}`);
      return 'done';
    };
    return { calls, work };
  };

  it('repeats work until it succeeds', async () => {
    const { calls, work } = failing(3);
    assert.equal(await retry(work, { ...AT_ONCE, isTemporary: () => true }), 'done');
    assert.equal(calls.count, 4);
  });

  it('throws the first error that does not pass', async () => {
    const { calls, work } = failing(3);
    const isTemporary = (error: unknown) => (error as Error).message !== 'failure 2';
    await assert.rejects(retry(work, { ...AT_ONCE, isTemporary }), /failure 2/);
    assert.equal(calls.count, 2);
  });

  it('gives up after as many failures as the caller says', async () => {
    const { calls, work } = failing(9);
    await assert.rejects(retry(work, { ...AT_ONCE, isTemporary: (_error, failures) => failures < 3 }), /failure 3/);
    assert.equal(calls.count, 3);
  });

  it('throws the reason when it is aborted between two attempts', async () => {
    const stopping = new AbortController();
    const { calls, work } = failing(9);
    const isTemporary = (): boolean => {
      stopping.abort(new Error('the program ends'));
      return true;
    };
    const options = { firstMs: 3_600_000, longestMs: 3_600_000, signal: stopping.signal, isTemporary };
    await assert.rejects(retry(work, options), /the program ends/);
    assert.equal(calls.count, 1);
  });

  it('pauses twice as long after each failure, up to the longest pause, and at least half of that', () => {
    const backoffs = fc.record({
      firstMs: fc.integer({ min: 1, max: 1_000 }),
      longestMs: fc.integer({ min: 1, max: 60_000 }),
    });
    fc.assert(
      fc.property(backoffs, fc.integer({ min: 1, max: 100 }), (backoff, failures) => {
        const most = Math.min(backoff.firstMs * 2 ** (failures - 1), backoff.longestMs);
        const ms = backoffMs(failures, backoff);
        assert.ok(ms >= most / 2 && ms <= most);
      }),
    );
  });

  it('ends a pause when its signal is aborted', async () => {
    const stopping = new AbortController();
    const pause = pauseAfter(1, { firstMs: 3_600_000, longestMs: 3_600_000 }, stopping.signal);
    stopping.abort(new Error('the program ends'));
    await assert.rejects(pause, /the program ends/);
  });
});
