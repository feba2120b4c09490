import { TidemarkError } from '../core/errors.ts';
import { type Job, type JobWait, jobName } from '../stores/job.ts';
import type { JobFilter } from '../stores/job-records.ts';
import { formatTime } from './format-time.ts';
import type { JobView } from './job-schemas.ts';

/** The view of a job in the API, and on the command line. */
export function jobView(job: Job): JobView {
  const { kind, id, state, payload, oneAtATimePer, attempts, cancelling, progress, wait, error } = job;
  const { added, notBefore, finished, claim } = job;
  return {
    name: jobName(job),
    kind,
    id,
    state,
    payload,
    ...(oneAtATimePer !== undefined && { oneAtATimePer }),
    added: formatTime(added),
    ...(notBefore > 0 && { notBefore: formatTime(notBefore) }),
    attempts,
    ...(claim !== undefined && { worker: claim.worker, started: formatTime(claim.since) }),
    ...(finished !== undefined && { finished: formatTime(finished) }),
    // Earlier versions kept it when the job had ended.
    ...(cancelling && state === 'running' && { cancelling }),
    ...(progress !== undefined && { progress }),
    ...(wait !== undefined && state === 'queued' && { waits: waitView(wait) }),
    ...(error !== undefined && { error }),
    ...(state === 'done' && { result: job.result }),
  };
}

function waitView({ since, reason, until }: JobWait): NonNullable<JobView['waits']> {
  return { since: formatTime(since), reason, ...(until !== undefined && { until: formatTime(until) }) };
}

/** For people. */
export function waitText({ reason, until }: NonNullable<JobView['waits']>): string {
  return until === undefined ? `waits: ${reason}` : `waits, until ${until} at most: ${reason}`;
}

/** The format of `jobCursor`. */
export const JOB_CURSOR = /^(\d{1,15})\.([^/]+)\/(.+)$/;

/** A cursor with which clients continue a list after a job. */
export function jobCursor(job: Pick<Job, 'kind' | 'id' | 'added'>): string {
  return `${job.added}.${jobName(job)}`;
}

/** @throws TidemarkError `invalid` */
export function parseJobCursor(text: string): NonNullable<JobFilter['after']> {
  const [, added, kind, id] = JOB_CURSOR.exec(text) ?? [];
  if (id === undefined)
    throw new TidemarkError('invalid', `"${text}" is not a place in the list of jobs`, { after: text });
  return { added: Number(added), kind: kind!, id };
}
