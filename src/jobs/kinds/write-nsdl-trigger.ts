import type { RunType } from '../../nsdl/trigger-file.ts';
import { uuidOfText } from '../../nsdl/uuid.ts';
import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

interface TriggerToWrite {
  readonly collection: string;
  readonly runType: RunType;
}

/** Writes the trigger files of the schedules of NSDL's collections, instead of harvesting them at once. */
export const writeNsdlTrigger = defineJob<TriggerToWrite>({
  kind: 'write-nsdl-trigger',
  retry: { attempts: 5, firstMs: 5_000, longestMs: 60_000 },
  oneAtATimePer: ({ collection }) => collection,

  async schedules({ nsdl, records: { collections }, configuration: { timeZone } }) {
    if (nsdl === undefined) return [];
    return (await collections.list()).flatMap(({ id, handle, schedule, fullSchedule, scheduledSince: since }) => {
      const scheduled = (pattern: string | undefined, runType: RunType) =>
        pattern === undefined || handle === undefined
          ? []
          : [
              {
                schedule: cron(pattern, timeZone),
                payload: { collection: id, runType },
                activity: `${id}/${runType}`,
                since,
              },
            ];
      return [...scheduled(schedule, 'incremental_harvest'), ...scheduled(fullSchedule, 'full_reharvest')];
    });
  },

  // A second attempt may write another file, with the same uuid: a harvest is made of one of them.
  run: async ({ collection, runType }, { nsdl }, { name }) =>
    nsdl?.writeTrigger(collection, runType, { time: Date.now(), uuid: uuidOfText(name) }),
});
