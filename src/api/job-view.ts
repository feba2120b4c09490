import * as z from 'zod';
import { JOB_STATES, type Job, type JobWait, jobName } from '../stores/job.ts';
import { datetime, formatTime } from './fields.ts';

/** The shapes of jobs in the JSON API. */

export const jobStateSchema = z.enum(JOB_STATES);

export const jobSchema = z
  .strictObject({
    name: z.string().describe('`KIND/ID`.'),
    kind: z.string(),
    id: z.string(),
    state: jobStateSchema,
    payload: z.unknown().describe('What it works on.'),
    oneAtATimePer: z.string().optional().describe('Of the jobs of a kind with the same text, one runs at a time.'),
    added: datetime,
    notBefore: datetime.optional().describe('It does not begin before this time.'),
    attempts: z
      .int()
      .describe('Attempts that were begun, without those that were given back, and those whose worker died.'),
    worker: z.string().optional().describe('The process that ran the last attempt, or runs it.'),
    started: datetime.optional().describe('When the last attempt began.'),
    finished: datetime.optional(),
    cancelling: z.literal(true).optional().describe('It was cancelled, and its worker has not ended it yet.'),
    progress: z
      .strictObject({ done: z.number().optional(), total: z.number().optional(), text: z.string().optional() })
      .optional(),
    waits: z
      .strictObject({
        since: datetime,
        reason: z.string(),
        until: datetime.optional().describe('When it stops to wait for this.'),
      })
      .optional()
      .describe('What a queued job waits for. It checks that again at `notBefore`.'),
    error: z.string().optional().describe('Why the last attempt failed.'),
    result: z.unknown().optional(),
  })
  .meta({ id: 'Job' });

export type JobView = z.infer<typeof jobSchema>;

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
