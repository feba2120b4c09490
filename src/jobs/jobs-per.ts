import type { Job } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import type { JobFilter } from '../stores/job-records.ts';

/** Number of jobs that are read at a time. */
const READ_AT_ONCE = 500;

type Filter = Pick<JobFilter, 'kinds' | 'states'>;

/** Yields the jobs that only run one at a time with each other, by that text: those that were added last first. */
export async function* jobsPer(
  jobs: Pick<JobQueue, 'list'>,
  oneAtATimePer: string,
  filter: Filter,
): AsyncGenerator<Job> {
  for await (const job of jobsOf(jobs, filter)) if (job.oneAtATimePer === oneAtATimePer) yield job;
}

/** Yields jobs, those that were added last first. */
export async function* jobsOf(jobs: Pick<JobQueue, 'list'>, filter: Filter): AsyncGenerator<Job> {
  for (let after: Job | undefined; ; ) {
    const found = await jobs.list({ ...filter, after, limit: READ_AT_ONCE });
    yield* found;
    if (found.length < READ_AT_ONCE) return;
    after = found.at(-1);
  }
}
