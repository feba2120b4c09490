import assert from 'node:assert/strict';
import { LeaseWatch, type ObservedLease } from '../../../src/stores/lease-watch.ts';

const LEASE = 30_000;

describe('the watch of leases', () => {
  let elapsed: number;
  let watch: LeaseWatch;
  beforeEach(() => {
    elapsed = 1_000_000;
    watch = new LeaseWatch(() => elapsed);
  });

  const running = (name: string, version: string): ObservedLease => ({ name, version, leaseMs: LEASE });
  const expiredAfter = (milliseconds: number, ...leases: readonly ObservedLease[]) => {
    elapsed += milliseconds;
    return [...watch.expired(leases)];
  };

  it('ends a lease when its version was the same for that time', () => {
    const job = running('a', '1');
    assert.deepEqual(expiredAfter(0, job), []);
    for (const _ of [1, 2]) assert.deepEqual(expiredAfter(10_000, job), []);
    assert.deepEqual(expiredAfter(9_999, job), []);
    assert.deepEqual(expiredAfter(1, job), ['a']);
  });

  it('begins again with each new version, and watches each job by itself', () => {
    const silent = running('b', '1');
    expiredAfter(0, running('a', '1'), silent);
    expiredAfter(10_000, running('a', '1'), silent);
    expiredAfter(10_000, running('a', '2'), silent);
    assert.deepEqual(expiredAfter(10_000, running('a', '2'), silent), ['b']);
    assert.deepEqual(expiredAfter(10_000, running('a', '2')), []);
    assert.deepEqual(expiredAfter(10_000, running('a', '2')), ['a']);
  });

  it('does not count time in which it could not read: no worker could send a heartbeat', () => {
    const job = running('a', '1');
    expiredAfter(0, job);
    expiredAfter(10_000, job);
    assert.deepEqual(expiredAfter(3_600_000, job), []);
    assert.deepEqual(expiredAfter(15_000, job), []);
    assert.deepEqual(expiredAfter(15_000, job), ['a']);
  });

  it('forgets a job that does not run meanwhile', () => {
    expiredAfter(0, running('a', '1'));
    expiredAfter(15_000, running('a', '1'));
    expiredAfter(1_000);
    assert.deepEqual(expiredAfter(14_000, running('a', '1')), []);
  });
});
