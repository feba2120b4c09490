import { unlessNotFound } from '../core/errors.ts';
import { jobName, type NewJob } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';

/** Progress token of a job: differs after each heartbeat. Undefined while no worker runs it. */
export async function progressOf(jobs: Pick<JobQueue, 'get'>, job: NewJob): Promise<string | undefined> {
  const { state, claim } = (await unlessNotFound(jobs.get(jobName(job)))) ?? {};
  return state === 'running' ? `${claim!.token} ${claim!.beats}` : undefined;
}
