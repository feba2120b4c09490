import assert from 'node:assert/strict';
import type { JobParts } from '../../../src/jobs/job-parts.ts';
import { harvestJob } from '../../../src/jobs/kinds/harvest.ts';
import { writeNsdlTrigger } from '../../../src/jobs/kinds/write-nsdl-trigger.ts';

const COLLECTIONS = [
  { id: 'maps', handle: '2200/1', schedule: '0 23 * * 0', fullSchedule: '0 23 1 * *', scheduledSince: 0 },
  { id: 'arxiv', schedule: '15 2 * * *', scheduledSince: 0 },
];

/** The collections and kinds that schedules add jobs for. */
async function scheduled(hasFolder: boolean) {
  const parts = {
    configuration: { timeZone: 'UTC' },
    records: { collections: { list: async () => COLLECTIONS } },
    ...(hasFolder && { nsdl: {} }),
  } as unknown as JobParts;
  const payloads = async (job: typeof harvestJob) =>
    ((await job.schedules?.(parts)) ?? []).map(({ payload }) => payload);
  return { harvests: await payloads(harvestJob), triggers: await payloads(writeNsdlTrigger) };
}

describe('the schedules of a collection with a handle', () => {
  it('write trigger files where there is a folder of NSDL, and harvest elsewhere', async () => {
    const arxiv = { collection: 'arxiv', kind: 'incremental' };
    assert.deepEqual(await scheduled(true), {
      harvests: [arxiv],
      triggers: [
        { collection: 'maps', runType: 'incremental_harvest' },
        { collection: 'maps', runType: 'full_reharvest' },
      ],
    });
    const { harvests, triggers } = await scheduled(false);
    assert.deepEqual([harvests.length, triggers], [3, []]);
  });
});
