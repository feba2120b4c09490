import { removeUnusedReadings } from '../../records/deliveries/remove-unused.ts';
import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/**
 * Removes the leftovers of killed processes: files of uploads that they were receiving, and records of attempts that
 * were not the first to finish. An upload or an attempt that only failed removes its own.
 */
export const removeAbandonedUploads = defineJob({
  kind: 'remove-abandoned-uploads',
  oneAtATimePer: () => 'uploads',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('5 4 * * *', timeZone), payload: {} }],

  async run(_payload, { records: { uploads }, catalog, artifacts }, { signal }) {
    const removed = await uploads.removeAbandoned(signal);
    return { removed, readings: await removeUnusedReadings({ catalog, artifacts }, signal) };
  },
});
