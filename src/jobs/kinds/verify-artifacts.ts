import { describeDamaged } from '../../backup/verify/check-artifacts.ts';
import { defineJob } from '../job-definition.ts';
import { cron } from '../schedule.ts';

/** Keys that the result of the job has; its log has more. */
const MOST_NAMED = 20;

/** Compares a share of the stored artifacts with their digests, so that all are compared within some days. */
export const verifyArtifacts = defineJob({
  kind: 'verify-artifacts',
  retry: { attempts: 5, firstMs: 5_000, longestMs: 300_000 },
  oneAtATimePer: () => 'artifacts',

  schedules: ({ configuration: { timeZone, verifyArtifactsDays } }) =>
    verifyArtifactsDays === Number.POSITIVE_INFINITY ? [] : [{ schedule: cron('35 1 * * *', timeZone), payload: {} }],

  async run(_payload, { backup: { verifyArtifacts } }, { signal, log, report }) {
    const { damaged, totalDamaged, ...counts } = await verifyArtifacts({
      isShare: true,
      signal,
      onProgress: (done, total) => report({ done, total, text: 'comparing artifacts' }),
      onDamaged: (one) => log(describeDamaged(one)),
    });
    return { ...counts, damaged: totalDamaged, first: damaged.slice(0, MOST_NAMED).map(({ key }) => key) };
  },
});
