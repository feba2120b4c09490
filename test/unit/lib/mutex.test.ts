import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { Mutex } from '../../../src/lib/calls/mutex.ts';

describe('A mutex', () => {
  it('runs one work at a time, in the order of the calls, whatever each of them does', async () => {
    const works = fc.array(fc.record({ steps: fc.nat(3), fails: fc.boolean() }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(works, async (all) => {
        const mutex = new Mutex();
        const begun: number[] = [];
        let running = 0;
        const results = all.map(({ steps, fails }, number) =>
          mutex.run(async () => {
            assert.equal(++running, 1);
            begun.push(number);
            for (let step = 0; step < steps; step++) await Promise.resolve();
            running -= 1;
            if (fails) throw new Error(`work ${number}`);
            return number;
          }),
        );
        const settled = await Promise.allSettled(results);
        assert.deepEqual(begun, [...all.keys()]);
        for (const [number, { fails }] of all.entries()) {
          const { status } = settled[number]!;
          assert.equal(status, fails ? 'rejected' : 'fulfilled');
        }
        assert.ok(mutex.isFree);
      }),
    );
  });

  it('lets work that waits be given up, and runs what comes behind it', async () => {
    const mutex = new Mutex();
    const release = await mutex.acquire();
    const giving = new AbortController();
    let hasRun = false;
    const given = mutex.run(() => {
      hasRun = true;
    }, giving.signal);
    const next = mutex.run(() => 'next');
    giving.abort(new Error('no longer needed'));
    await assert.rejects(given, /no longer needed/);
    assert.ok(!mutex.isFree);
    release();
    assert.equal(await next, 'next');
    assert.ok(!hasRun);
  });

  it('does not begin work whose signal was aborted before the call', async () => {
    const work = () => assert.fail('it was begun');
    await assert.rejects(new Mutex().run(work, AbortSignal.abort(new Error('too late'))), /too late/);
  });

  it('keeps work that has begun, whatever becomes of its signal', async () => {
    const mutex = new Mutex();
    const stopping = new AbortController();
    const { promise, resolve } = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const result = mutex.run(() => {
      begun.resolve();
      return promise;
    }, stopping.signal);
    await begun.promise;
    stopping.abort();
    await setImmediate();
    resolve('done');
    assert.equal(await result, 'done');
  });
});
