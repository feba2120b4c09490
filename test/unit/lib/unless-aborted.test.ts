import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { unlessAborted } from '../../../src/lib/calls/unless-aborted.ts';

describe('unlessAborted', () => {
  it('rejects as soon as the signal is aborted, and then ignores how the work ends', async () => {
    const aborting = new AbortController();
    const { promise, reject } = Promise.withResolvers<void>();
    const waiting = unlessAborted(promise, aborting.signal);
    aborting.abort(new Error('stopped'));
    await assert.rejects(waiting, /stopped/);
    reject(new Error('too late'));
    // An unhandled rejection would fail the test.
    await setImmediate();
  });

  it('ignores how the work ends also when the signal was aborted before', async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => unhandled.push(error);
    process.prependOnceListener('unhandledRejection', listen);
    const { promise, reject } = Promise.withResolvers<void>();
    await assert.rejects(unlessAborted(promise, AbortSignal.abort(new Error('stopped'))), /stopped/);
    reject(new Error('too late'));
    await setImmediate();
    process.off('unhandledRejection', listen);
    assert.deepEqual(unhandled, []);
  });

  it('returns the result of the work', async () => {
    assert.equal(await unlessAborted(Promise.resolve(1), new AbortController().signal), 1);
    assert.equal(await unlessAborted(Promise.resolve(2), undefined), 2);
  });
});
