import assert from 'node:assert/strict';
import { addUnlessWaiting } from '../../src/jobs/add-unless-waiting.ts';
import { defineJob } from '../../src/jobs/job-definition.ts';
import { SQLITE } from '../support/each-store.ts';
import { JobPlace } from '../support/job-place.ts';
import { until } from '../support/until.ts';

describe('asking for a job that waits for its next attempt', () => {
  let place: JobPlace;
  beforeEach(async () => {
    place = await JobPlace.make(SQLITE);
  });
  afterEach(() => place.close());

  it('returns the job when it has begun meanwhile', async () => {
    let ends = () => {};
    const ended = new Promise<void>((resolve) => {
      ends = resolve;
    });
    const build = defineJob({
      kind: 'build',
      retry: { attempts: 3, firstMs: 1, longestMs: 1 },
      run: () => ended,
    });
    await place.jobs.add('build', 'a', {});
    const name = 'build/a';
    const waiting = { ...(await place.jobs.get(name)), notBefore: Date.now() + 60_000 };
    place.run([build]);
    await until('it runs', async () => (await place.jobs.get(name)).state === 'running');
    try {
      const job = await addUnlessWaiting(place.jobs, waiting, { kind: 'build', id: 'b', payload: {} });
      assert.deepEqual([job.id, job.state], ['a', 'running']);
    } finally {
      ends();
    }
  });
});
