import type { NamedRun } from '../../records/runs/activity-run.ts';
import type { RunOfJob } from '../../records/runs/activity-runner.ts';
import type { NewJob } from '../../stores/job.ts';
import { defineJob, jobOf } from '../job-definition.ts';
import { RUN_ACTIVITY } from '../open-runs.ts';
import { cron } from '../schedule.ts';

/** Runs an activity of a provider, and makes an artifact. */
export const runActivityJob = defineJob<RunOfJob>({
  kind: RUN_ACTIVITY,
  retry: { attempts: 4, firstMs: 10_000, longestMs: 300_000 },
  waitsAfterConflict: true,
  oneAtATimePer: ({ organization, activity }) => `${organization}/${activity}`,

  async schedules({ records, configuration: { timeZone } }) {
    return (await records.organizations.list()).flatMap(({ id: organization, activities = [] }) =>
      activities.flatMap(({ activity, cron: pattern, options, since }) => {
        if (pattern === undefined) return [];
        const payload: RunOfJob = { organization, activity, options, trigger: { by: 'schedule' } };
        return [{ schedule: cron(pattern, timeZone), payload, activity: `${organization}/${activity}`, since }];
      }),
    );
  },

  async addMissing({ jobs: { openRuns, queue } }) {
    await openRuns.visit((run) => queue.addAll([jobOfRun(run)]));
  },

  async run(work, { records: { activityRunner } }, attempt) {
    const { organization, activity, number, state, summary } = await activityRunner.run(work, attempt);
    return { organization, activity, number, state, ...(summary?.published && { artifact: summary.key }) };
  },
});

/** The id is the same for each call, so that a run has only one job. */
export function jobOfRun({ organization, activity, number }: NamedRun): NewJob {
  return jobOf(runActivityJob, {
    id: [organization, activity, number].join('~'),
    payload: { organization, activity, number },
  });
}
