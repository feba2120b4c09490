import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** Makes a backup of the store in a file, at the times of the setting `backup`. */
export const backUpStore = defineJob({
  kind: 'back-up-store',
  retry: { attempts: 5, firstMs: 5_000, longestMs: 300_000 },
  oneAtATimePer: () => 'store',

  schedules: ({ configuration: { backupSchedule, timeZone } }) =>
    backupSchedule === 'off' ? [] : [{ schedule: cron(backupSchedule, timeZone), payload: {} }],

  async run(_payload, { backup: { backUp } }, { signal, log }) {
    const made = await backUp(signal);
    log(`made ${made.file}, and compared it with the store`);
    for (const file of made.removed) log(`removed ${file}`);
    return made;
  },
});
