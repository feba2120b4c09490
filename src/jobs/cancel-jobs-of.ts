import { isTidemarkError } from '../core/errors.ts';
import type { StreamName } from '../records/stream-set-names.ts';
import { type Job, jobName } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { jobsOf } from './jobs-per.ts';
import { buildStreamDump } from './kinds/build-stream-dump.ts';
import { harvestJob } from './kinds/harvest.ts';
import { runActivityJob } from './kinds/run-activity.ts';
import { PROCESS_UPLOAD } from './upload-ends.ts';

const KINDS = [PROCESS_UPLOAD, buildStreamDump.kind, runActivityJob.kind, harvestJob.kind];

interface OfStream extends Partial<StreamName> {
  readonly collection?: string;
}

/** Cancels the jobs of a stream that wait or run; without a stream, all of an organization. */
export async function cancelJobsOf(
  queue: Pick<JobQueue, 'list' | 'cancel'>,
  name: StreamName & { readonly set?: string | undefined },
): Promise<void> {
  const open: Job[] = [];
  for await (const job of jobsOf(queue, { kinds: KINDS, states: ['queued', 'running'] })) {
    if (isOf(job.payload as OfStream, name)) open.push(job);
  }
  for (const job of open) {
    await queue.cancel(jobName(job)).catch((error: unknown) => {
      // It has ended meanwhile.
      if (!isTidemarkError(error, 'conflict') && !isTidemarkError(error, 'not-found')) throw error;
    });
  }
}

function isOf({ organization, stream, collection }: OfStream, name: Parameters<typeof cancelJobsOf>[1]): boolean {
  if (collection !== undefined) return collection === name.set;
  return organization === name.organization && (name.stream === undefined || stream === name.stream);
}
