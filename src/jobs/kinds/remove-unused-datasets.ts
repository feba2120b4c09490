import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** Removes files of datasets that were not ingested to the end, a week after they were stored. */
export const removeUnusedDatasets = defineJob({
  kind: 'remove-unused-datasets',
  oneAtATimePer: () => 'datasets',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('45 4 * * *', timeZone), payload: {} }],

  async run(_payload, { datasets }, { signal }) {
    return { removed: await datasets.removeUnused(signal) };
  },
});
