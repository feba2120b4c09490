import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** Ends removals of streams and organizations that were begun. */
export const cleanUpStreams = defineJob({
  kind: 'clean-up-streams',
  oneAtATimePer: () => 'streams',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('55 4 * * *', timeZone), payload: {} }],

  async run(_payload, { records: { removals } }, { signal, log }) {
    const removed = await removals.endAll(signal);
    for (const name of removed) log(`removed ${name}`);
    return { removed };
  },
});
