import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** A client may never come back: neither to end what is whole, nor to send the rest. */
export const tendResumableUploads = defineJob({
  kind: 'tend-resumable-uploads',
  summary: 'Makes uploads of whole files that a killed server has left, and removes those that had no byte for a day',
  oneAtATimePer: () => 'resumable-uploads',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('25 * * * *', timeZone), payload: {} }],

  run: (_payload, { resumableUploads }, { signal }) => resumableUploads.tend(signal),
});
