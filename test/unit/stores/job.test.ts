import assert from 'node:assert/strict';
import { claimed, expired, type Job, MOST_DEATHS, newJob } from '../../../src/stores/job.ts';

describe('a job whose workers die', () => {
  it('begins again at once, then after pauses that grow, and has failed after ten of them', () => {
    const worker = { name: 'host:1', leaseMs: 30_000 };
    let job: Job = newJob({ kind: 'build', id: 'a' }, 0);
    const pauses: number[] = [];
    for (let now = 0; job.state === 'queued'; now = job.notBefore) {
      job = expired(claimed(job, worker, now), MOST_DEATHS, now);
      if (job.state === 'queued') pauses.push(Math.max(job.notBefore - now, 0) / 1000);
    }
    const longest = 600;
    assert.deepEqual(pauses, [0, 30, 60, 120, 240, 480, longest, longest, longest]);
    assert.deepEqual([job.state, job.attempts, job.deaths], ['failed', 0, 10]);
    assert.equal(job.error, 'the worker host:1 sent no heartbeat for 30 s, as 9 of those before it');
  });
});
