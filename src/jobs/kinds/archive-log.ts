import { defineJob } from '../job-definition.ts';
import { every } from '../schedule.ts';

/** Archives the log, at the interval of the setting `archive`. */
export const archiveLog = defineJob({
  kind: 'archive-log',
  retry: { attempts: 5, firstMs: 1_000, longestMs: 60_000 },
  oneAtATimePer: () => 'log',

  schedules({ configuration: { archiveIntervalMs } }) {
    if (archiveIntervalMs === undefined) return [];
    return [{ schedule: every(archiveIntervalMs), payload: {} }];
  },

  async run(_payload, { backup: { archive } }, { signal, log }) {
    const { chain, status, mark } = await archive(signal);
    const changes = status === 'written' ? (mark?.changes?.records ?? 0) : 0;
    if (status === 'written') log(`wrote ${changes} changes as segment ${mark?.number} of ${chain}`);
    return { archive: chain, status, segment: mark?.number, changes, total: mark?.total ?? 0 };
  },
});
