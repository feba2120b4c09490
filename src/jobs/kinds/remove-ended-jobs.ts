import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

const DAY_MS = 86_400_000;
/** Days that a job stays recorded after its end. */
const KEPT_DAYS = { done: 7, failed: 30, cancelled: 30 } as const;

/** Removes the records of jobs that ended long ago, with their logs. */
export const removeEndedJobs = defineJob({
  kind: 'remove-ended-jobs',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('45 3 * * *', timeZone), payload: {} }],

  async run(_payload, { jobs, jobs: { uploadEnds } }, { signal }) {
    // Without the record of its job, an upload would seem never to have had one.
    await uploadEnds.recordMissed();
    const removed: Partial<Record<keyof typeof KEPT_DAYS, number>> = {};
    for (const state of ['done', 'failed', 'cancelled'] as const) {
      signal.throwIfAborted();
      removed[state] = await jobs.queue.remove(state, Date.now() - KEPT_DAYS[state] * DAY_MS);
    }
    return removed;
  },
});
