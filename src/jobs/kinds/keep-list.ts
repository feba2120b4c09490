import { formatStamp } from '../../core/stamp.ts';
import { defineJob } from '../job-definition.ts';
import { type OfSet, schedulesOfSets } from '../set-schedules.ts';

/** Keeps the Resource List of a set, and its dump, in its archives, and removes lists that are too old. */
export const keepList = defineJob<OfSet>({
  kind: 'keep-list',
  retry: { attempts: 5, firstMs: 5_000, longestMs: 300_000 },
  oneAtATimePer: ({ set }) => set,
  schedules: (parts) => schedulesOfSets('archiveSchedule', parts),

  async run({ set }, { publishing: { listArchives } }, { signal, report, log }) {
    const { at, isNew, resources, pages, stored, dump } = await listArchives.keep(set, {
      signal,
      onProgress: ({ kept, pages }) => report({ done: kept, total: pages, text: 'pages' }),
    });
    log(isNew ? `stored ${stored} of ${pages} pages` : 'nothing has changed since the last list');
    if (dump !== undefined) log(`added the dump of ${formatStamp(dump.at)}`);
    const removed = await listArchives.pruneOld(set);
    if (removed.length > 0) log(`removed ${removed.length} older lists`);
    return {
      set,
      at: formatStamp(at),
      isNew,
      resources,
      pages,
      stored,
      dump: dump !== undefined,
      removed: removed.length,
    };
  },
});
