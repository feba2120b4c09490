import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** Removes the archived lists of sets that were removed or renewed, and leftovers of killed processes. */
export const removeUnusedLists = defineJob({
  kind: 'remove-unused-lists',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },
  oneAtATimePer: () => 'lists',

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('55 3 * * *', timeZone), payload: {} }],

  async run(_payload, { publishing: { listArchives } }, { signal }) {
    return { removed: await listArchives.removeUnused(signal) };
  },
});
