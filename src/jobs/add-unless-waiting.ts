import { type Job, jobName, type NewJob } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';

/** Adds a job, to be done now, or returns the one that waits. */
export async function addUnlessWaiting(jobs: JobQueue, waiting: Job | undefined, job: NewJob): Promise<Job> {
  // A job that failed before waits for its next attempt: run it now.
  if (waiting !== undefined) return waiting.notBefore > Date.now() ? jobs.retry(jobName(waiting)) : waiting;
  await jobs.addAll([job]);
  return jobs.get(jobName(job));
}
