import { isTidemarkError } from '../core/errors.ts';
import { jobName, type NewJob } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';

/**
 * Queues a job again that was cancelled, has failed, or was removed. A job that waits, runs or is done is not changed.
 */
export async function reopenJob(jobs: Pick<JobQueue, 'get' | 'addAll' | 'retry'>, job: NewJob): Promise<void> {
  const name = jobName(job);
  try {
    const { state } = await jobs.get(name);
    if (state === 'cancelled' || state === 'failed') await jobs.retry(name);
  } catch (error) {
    if (isTidemarkError(error, 'not-found')) await jobs.addAll([job]);
    // Another process was faster, and the job is already running.
    else if (!isTidemarkError(error, 'conflict')) throw error;
  }
}
