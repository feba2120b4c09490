import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** Removes files of dumps that a killed process was making, and of dumps that were removed from the list. */
export const removeUnusedStreamDumps = defineJob({
  kind: 'remove-unused-stream-dumps',
  oneAtATimePer: () => 'stream-dumps',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('25 4 * * *', timeZone), payload: {} }],

  async run(_payload, { records: { streamDumps } }, { signal }) {
    return { removed: await streamDumps.removeUnused(signal) };
  },
});
