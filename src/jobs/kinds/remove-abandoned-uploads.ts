import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** Removes files of uploads that a killed process was receiving: an upload that only failed removes its own. */
export const removeAbandonedUploads = defineJob({
  kind: 'remove-abandoned-uploads',
  summary: 'Removes uploaded files that were stored a week ago and belong to no upload',
  oneAtATimePer: () => 'uploads',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('5 4 * * *', timeZone), payload: {} }],

  async run(_payload, { uploads }, { signal }) {
    return { removed: await uploads.removeAbandoned(signal) };
  },
});
