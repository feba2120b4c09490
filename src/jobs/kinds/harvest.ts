import { TidemarkError } from '../../core/errors.ts';
import type { HarvestKind, NamedHarvest } from '../../records/collections/harvest-run.ts';
import type { HarvestOfJob } from '../../records/collections/harvest-runner.ts';
import type { NewJob } from '../../stores/job.ts';
import { defineJob, jobOf } from '../job-definition.ts';
import type { JobParts } from '../job-parts.ts';
import { HARVEST } from '../open-harvests.ts';
import { cron } from '../schedule.ts';
import { jobOfMessage } from './send-harvest-message.ts';

/** Harvests a collection. */
export const harvestJob = defineJob<HarvestOfJob>({
  kind: HARVEST,
  retry: { attempts: 4, firstMs: 10_000, longestMs: 300_000 },
  waitsAfterConflict: true,
  oneAtATimePer: ({ collection }) => collection,

  async schedules(parts) {
    return [...(await schedulesOf('schedule', parts)), ...(await schedulesOf('fullSchedule', parts))];
  },

  async addMissing({ jobs: { openHarvests, queue } }) {
    await openHarvests.visit({
      addJob: (run) => queue.addAll([jobOfHarvest(run)]),
      addMessage: (run) => queue.addAll([jobOfMessage(run)]),
    });
  },

  async run(work, { records: { harvestRunner } }, attempt) {
    const { collection, number, status, failure } = await harvestRunner.run(work, attempt);
    if (status === 4) throw new TidemarkError('invalid', failure ?? 'the run has failed', { collection, run: number });
    return { collection, number, status };
  },
});

const KINDS: Readonly<Record<'schedule' | 'fullSchedule', HarvestKind>> = {
  schedule: 'incremental',
  fullSchedule: 'full',
};

/** The ids of the jobs of both schedules must differ: they may have the same time. */
async function schedulesOf(
  setting: keyof typeof KINDS,
  { nsdl, records, configuration: { timeZone } }: Pick<JobParts, 'nsdl' | 'records' | 'configuration'>,
) {
  return (await records.collections.list()).flatMap(({ id, handle, [setting]: pattern, scheduledSince }) => {
    // NSDL's collections get trigger files.
    if (pattern === undefined || (nsdl !== undefined && handle !== undefined)) return [];
    const payload: HarvestOfJob = { collection: id, kind: KINDS[setting] };
    const activity = `${id}/${payload.kind}`;
    return [{ schedule: cron(pattern, timeZone), payload, activity, since: scheduledSince }];
  });
}

/** The id is the same for each call, so that a run has only one job. */
export function jobOfHarvest({ collection, number }: NamedHarvest): NewJob {
  return jobOf(harvestJob, { id: [collection, number].join('~'), payload: { collection, number } });
}
