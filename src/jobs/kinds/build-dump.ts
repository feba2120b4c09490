import type { ResourceSet } from '../../core/resource-set.ts';
import { formatStamp } from '../../core/stamp.ts';
import { requireBytes } from '../../publish/dumps/dump-plan.ts';
import { dumpTotals } from '../../publish/dumps/stored-dump.ts';
import { type Job, type JobState, jobName } from '../../stores/job.ts';
import type { JobQueue } from '../../stores/job-queue.ts';
import { defineJob, jobOf } from '../job-definition.ts';
import { idOfTime } from '../schedule.ts';
import { type OfSet, schedulesOfSets } from '../set-schedules.ts';

/** Builds the Resource Dump of a set, by its setting `dumpSchedule` or when a person asks for it. */
export const buildDump = defineJob<OfSet>({
  kind: 'build-dump',
  summary: 'Builds the Resource Dump of a set anew where the set has changed',
  retry: { attempts: 5, firstMs: 5_000, longestMs: 300_000 },
  oneAtATimePer: ({ set }) => set,
  schedules: (parts) => schedulesOfSets('dumpSchedule', parts),

  async run({ set }, { dumps }, { signal, report, log }) {
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

/** Jobs of all sets among which those of one are found. */
const MOST_READ = 500;

/**
 * Adds a job that builds the dump of a set now, or returns the one that waits.
 * @throws TidemarkError as requireBytes
 */
export async function addDumpJob(jobs: JobQueue, set: ResourceSet): Promise<Job> {
  requireBytes(set);
  const waiting = await latestDumpJob(jobs, set, ['queued']);
  // One that failed before waits for a while: not now.
  if (waiting !== undefined) return waiting.notBefore > Date.now() ? jobs.retry(jobName(waiting)) : waiting;
  const id = idOfTime(Date.now(), set.slug);
  await jobs.addAll([jobOf(buildDump, { id, payload: { set: set.slug } })]);
  return jobs.get(`${buildDump.kind}/${id}`);
}

/** The job of a set that was added last. */
export async function latestDumpJob(
  jobs: JobQueue,
  { slug }: ResourceSet,
  states?: readonly JobState[],
): Promise<Job | undefined> {
  const found = await jobs.list({ kinds: [buildDump.kind], states, limit: MOST_READ });
  return found.find(({ oneAtATimePer }) => oneAtATimePer === slug);
}
