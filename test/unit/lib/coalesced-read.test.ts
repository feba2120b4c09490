import assert from 'node:assert/strict';
import { CoalescedRead } from '../../../src/lib/calls/coalesced-read.ts';

describe('A read that several callers share', () => {
  let reads: PromiseWithResolvers<number>[];
  const coalesced = () => {
    reads = [];
    return new CoalescedRead<number>(() => {
      reads.push(Promise.withResolvers());
      return reads.at(-1)!.promise;
    });
  };

  it('begins after each of them asked, once for all that ask meanwhile', async () => {
    const shared = coalesced();
    const first = shared.read();
    const [second, third] = [shared.read(), shared.read()];
    assert.equal(reads.length, 1);
    reads[0]!.resolve(1);
    assert.equal(await first, 1);
    await Promise.resolve();
    assert.equal(reads.length, 2);
    const fourth = shared.read();
    reads[1]!.resolve(2);
    assert.deepEqual(await Promise.all([second, third]), [2, 2]);
    await Promise.resolve();
    assert.equal(reads.length, 3);
    reads[2]!.resolve(3);
    assert.equal(await fourth, 3);
  });

  it('begins anew after one that failed', async () => {
    const shared = coalesced();
    const first = shared.read();
    const second = shared.read();
    reads[0]!.reject(new Error('out of reach'));
    await assert.rejects(first, /out of reach/);
    await Promise.resolve();
    reads[1]!.resolve(2);
    assert.equal(await second, 2);
    const third = shared.read();
    assert.equal(reads.length, 3);
    reads[2]!.resolve(3);
    assert.equal(await third, 3);
  });
});
