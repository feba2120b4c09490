import { formatStamp } from '../../core/stamp.ts';
import { dumpTotals } from '../../publish/dumps/stored-dump.ts';
import { defineJob } from '../job-definition.ts';
import { type OfSet, schedulesOfSets } from '../set-schedules.ts';

/** Builds the Resource Dump of a set, by its setting `dumpSchedule` or on request of a user. */
export const buildDump = defineJob<OfSet>({
  kind: 'build-dump',
  retry: { attempts: 5, firstMs: 5_000, longestMs: 300_000 },
  waitsAfterConflict: true,
  oneAtATimePer: ({ set }) => set,
  schedules: (parts) => schedulesOfSets('dumpSchedule', parts),

  async run({ set }, { publishing: { dumps } }, { signal, report, log }) {
    const built = await dumps.build(set, {
      signal,
      onProgress: ({ packed, pages }) => report({ done: packed, total: pages, text: 'pages' }),
    });
    const { at, made } = built;
    const totals = dumpTotals(built);
    log(`made ${made} of ${totals.packages} packages`);
    return { set, at: formatStamp(at), made, ...totals };
  },
});
