import { unlessConflict } from '../core/errors.ts';
import { type Job, jobName, type NewJob } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';

/** Adds a job, to be done now, or returns the one that waits. */
export async function addUnlessWaiting(jobs: JobQueue, waiting: Job | undefined, job: NewJob): Promise<Job> {
  if (waiting !== undefined) {
    if (waiting.notBefore <= Date.now()) return waiting;
    // A job that failed before waits for its next attempt: run it now, unless it has just begun.
    const name = jobName(waiting);
    return (await unlessConflict(jobs.retry(name))) ?? jobs.get(name);
  }
  await jobs.addAll([job]);
  return jobs.get(jobName(job));
}
