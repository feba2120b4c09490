import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** Ends complete resumable uploads, and removes abandoned ones: their clients may never come back. */
export const cleanUpResumableUploads = defineJob({
  kind: 'tend-resumable-uploads',
  oneAtATimePer: () => 'resumable-uploads',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('25 * * * *', timeZone), payload: {} }],

  run: (_payload, { records: { resumableUploads } }, { signal }) => resumableUploads.cleanUp(signal),
});
