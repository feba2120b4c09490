import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/**
 * Removes packages that no dump names any more (a build removes only those of its own set), and packages and kept
 * versions of removed sets.
 */
export const removeOldPackages = defineJob({
  kind: 'remove-old-packages',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },
  oneAtATimePer: () => 'packages',

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('15 4 * * *', timeZone), payload: {} }],

  async run(_payload, { publishing: { dumps, versions }, sets }, { signal }) {
    const removed = await dumps.removeUnused(signal);
    return { removed, versions: await versions.removeOfRemovedSets(sets) };
  },
});
