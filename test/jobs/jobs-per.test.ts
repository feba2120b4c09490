import assert from 'node:assert/strict';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import { jobOf } from '../../src/jobs/job-definition.ts';
import { JobsOfSets } from '../../src/jobs/jobs-of-set.ts';
import { buildStreamDump } from '../../src/jobs/kinds/build-stream-dump.ts';
import { keepList } from '../../src/jobs/kinds/keep-list.ts';
import { StreamDumpJobs } from '../../src/jobs/stream-dump-jobs.ts';
import { SQLITE } from '../support/each-store.ts';
import { JobPlace } from '../support/job-place.ts';

const OTHERS = Array.from({ length: 1_100 }, (_, at) => `other-${at}`);

describe('A job that waits, before more than a thousand of the same kind', () => {
  let place: JobPlace;
  beforeEach(async () => {
    place = await JobPlace.make(SQLITE);
  });
  afterEach(() => place.close());

  it('is found by its set, and not added a second time', async () => {
    const jobs = new JobsOfSets(place.jobs, keepList);
    const set = { slug: 'maps' } as ResourceSet;
    const { id } = await jobs.add(set);
    await place.jobs.addAll(OTHERS.map((other) => jobOf(keepList, { id: other, payload: { set: other } })));
    assert.equal((await jobs.latest(set))?.id, id);
    assert.equal((await jobs.add(set)).id, id);
    assert.equal(await jobs.latest({ ...set, slug: 'unknown' }), undefined);
  });

  it('is found by its stream, and not added a second time', async () => {
    const jobs = new StreamDumpJobs(place.jobs);
    const dump = { organization: 'lane', stream: 'main', kind: 'full' } as const;
    const { id } = await jobs.add(dump);
    const others = OTHERS.map((other) => ({ id: other, payload: { ...dump, stream: other } }));
    await place.jobs.addAll(others.map((other) => jobOf(buildStreamDump, other)));
    assert.deepEqual(
      (await jobs.open(dump)).map((job) => job.id),
      [id],
    );
    assert.equal((await jobs.add(dump)).id, id);
  });
});
