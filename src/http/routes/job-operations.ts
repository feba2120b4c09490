import * as z from 'zod';
import { jobSchema, jobStateSchema, jobsSchema, loggedJobSchema } from '../../api/job-schemas.ts';
import { JOB_CURSOR } from '../../api/job-views.ts';
import { json, NO_PARAMETERS, type Operation } from '../request/operation.ts';
import { limit, text } from '../request/query-parameters.ts';

/** Requests and responses about jobs, for administrators; job-routes.ts handles them. */

const NO_JOB = { status: 404, description: 'There is no such job.' };

export const LIST_JOBS = {
  id: 'listJobs',
  tag: 'jobs',
  summary: 'Jobs, those that were added last first, with their numbers and the next scheduled times',
  query: z.strictObject({
    state: jobStateSchema.optional().describe('Only jobs in this state.'),
    kind: text('Only jobs of this kind.', 'archive-log'),
    limit: limit({ usual: 100, most: 1000 }),
    after: z
      .string()
      .regex(JOB_CURSOR, 'is not a place in the list of jobs')
      .optional()
      .meta({
        description: 'Only the jobs after this one: the `after` of the answer before.',
        examples: ['1795500000000.archive-log/20261123T020000Z'],
      }),
  }),
  answers: [json(jobsSchema, 'Some of the jobs.')],
} satisfies Operation;

export const SHOW_JOB = {
  id: 'showJob',
  tag: 'jobs',
  summary: 'One job, with its log',
  query: NO_PARAMETERS,
  answers: [json(loggedJobSchema, 'The job.'), NO_JOB],
} satisfies Operation;

export const RETRY_JOB = {
  id: 'retryJob',
  tag: 'jobs',
  summary: 'Runs a job again that failed or was cancelled, or one at once that waits',
  query: NO_PARAMETERS,
  answers: [json(jobSchema, 'The job is queued.'), NO_JOB, { status: 409, description: 'It is running, or done.' }],
} satisfies Operation;

export const CANCEL_JOB = {
  id: 'cancelJob',
  tag: 'jobs',
  summary: 'Cancels a job',
  description: 'A running job ends when its worker notices that, a few seconds later: it has `cancelling` until then.',
  query: NO_PARAMETERS,
  answers: [
    json(jobSchema, 'The job is cancelled, or will be.'),
    NO_JOB,
    { status: 409, description: 'It has ended.' },
  ],
} satisfies Operation;
