import assert from 'node:assert/strict';
import { claimed, newJob } from '../../../src/stores/job.ts';
import type { StoredJob } from '../../../src/stores/job-records.ts';
import { LeaseWatch } from '../../../src/stores/lease-watch.ts';

const LEASE = 30_000;

describe('the watch of leases', () => {
  let elapsed: number;
  let watch: LeaseWatch;
  beforeEach(() => {
    elapsed = 1_000_000;
    watch = new LeaseWatch(() => elapsed);
  });

  const running = (id: string, version: string): StoredJob => ({
    job: claimed(newJob({ kind: 'build', id }, 0), { name: 'one', leaseMs: LEASE }, 0),
    version,
  });
  const expiredAfter = (milliseconds: number, ...jobs: readonly StoredJob[]) => {
    elapsed += milliseconds;
    return watch.expired(jobs).map(({ job }) => job.id);
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
