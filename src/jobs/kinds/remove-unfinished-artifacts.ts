import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** Older than anything that a process may still be writing: the longest upload to S3 takes hours. */
const LEFT_AFTER_MS = 3 * 86_400_000;

/** Removes unfinished objects of killed processes from the artifact store. */
export const removeUnfinishedArtifacts = defineJob({
  kind: 'remove-unfinished-artifacts',
  oneAtATimePer: () => 'artifacts',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('15 3 * * *', timeZone), payload: {} }],

  async run(_payload, { artifacts }) {
    return { removed: await artifacts.removeUnfinished(Date.now() - LEFT_AFTER_MS) };
  },
});
