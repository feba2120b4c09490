import { formatStamp } from '../../core/stamp.ts';
import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** Removes versions that ended long ago, for the sets with the setting `versionsDays`. */
export const pruneVersions = defineJob({
  kind: 'prune-versions',
  retry: { attempts: 5, firstMs: 5_000, longestMs: 300_000 },
  oneAtATimePer: () => 'versions',

  schedules: ({ configuration: { timeZone } }) => [{ schedule: cron('35 4 * * *', timeZone), payload: {} }],

  async run(_payload, { publishing: { versionPruner } }, { signal, log, report }) {
    const total = { sets: 0, versions: 0, bytes: 0 };
    await versionPruner.pruneOld({
      signal,
      onProgress: ({ step, done, total }) => report({ done, total, text: step }),
      onPruned(set, { before, versions, bytes, damaged }) {
        log(`${set}: removed ${versions} versions that had ended before ${formatStamp(before)}, ${bytes} bytes`);
        for (const problem of damaged) log(`${set}: nothing of this pack is removed: ${problem}`);
        total.sets += 1;
        total.versions += versions;
        total.bytes += bytes;
      },
    });
    return total;
  },
});
