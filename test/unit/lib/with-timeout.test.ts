import assert from 'node:assert/strict';
import { withTimeout } from '../../../src/lib/calls/with-timeout.ts';

const HOUR_MS = 3_600_000;
const LATE = () => 'late';

describe('Waiting with a timeout', () => {
  it('returns the result of work that is done in time, and keeps no timer', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    // Mocha starts the timer of a test after its first step.
    await Promise.resolve();
    const before = timers();
    assert.equal(await withTimeout(Promise.resolve('done'), HOUR_MS, LATE), 'done');
    assert.equal(timers(), before);
  });

  it('throws what the work throws', async () => {
    await assert.rejects(withTimeout(Promise.reject(new Error('broken')), HOUR_MS, LATE), /broken/);
  });

  it('returns what the caller wants when the time is over', async () => {
    assert.equal(await withTimeout(new Promise<never>(() => {}), 1, LATE), 'late');
  });

  it('throws what the caller throws when the time is over', async () => {
    const late = () => {
      throw new Error('too late');
    };
    await assert.rejects(withTimeout(new Promise<never>(() => {}), 1, late), /too late/);
  });

  it('ignores a failure that comes after the timeout', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    assert.equal(await withTimeout(promise, 1, LATE), 'late');
    reject(new Error('broken'));
    // An unhandled rejection would fail this test.
    await new Promise((resolve) => setImmediate(resolve));
  });
});
