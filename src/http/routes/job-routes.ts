import type { Request } from 'express';
import * as z from 'zod';
import { datetime } from '../../api/fields.ts';
import { jobSchema, jobStateSchema, jobView } from '../../api/job-view.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { NextTime } from '../../jobs/scheduler.ts';
import { type Job, jobName } from '../../stores/job.ts';
import type { JobFilter } from '../../stores/job-records.ts';
import { param } from '../request/admitted.ts';
import { json, NO_PARAMETERS } from '../request/operation.ts';
import { limit, text } from '../request/query-parameters.ts';
import { get, post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';

const loggedJobSchema = jobSchema
  .extend({ log: z.array(z.string()).describe('The last 1,000 lines of its log, oldest first.') })
  .meta({ id: 'LoggedJob', description: 'A job with its log.' });

const jobsSchema = z
  .strictObject({
    jobs: z.array(jobSchema),
    after: z.string().optional().describe('For the parameter `after` of the next request; absent at the end.'),
    counts: z.array(z.strictObject({ kind: z.string(), state: jobStateSchema, count: z.int() })),
    scheduled: z
      .array(
        z.strictObject({
          kind: z.string(),
          set: z.string().optional().describe('The set that it works on, when its settings say so.'),
          activity: z.string().optional().describe('The provider and the activity that it runs, as `cdl/mapping`.'),
          schedule: z.string(),
          next: datetime,
        }),
      )
      .describe('When jobs are added next, by the settings of this server and of the sets: the 1,000 soonest.'),
  })
  .meta({ id: 'Jobs' });

type JobsView = z.infer<typeof jobsSchema>;

/** The format of `jobCursor`. */
const JOB_CURSOR = /^(\d{1,15})\.([^/]+)\/(.+)$/;

/** A cursor with which clients continue a list after a job. */
function jobCursor(job: Pick<Job, 'kind' | 'id' | 'added'>): string {
  return `${job.added}.${jobName(job)}`;
}

/** @throws TidemarkError `invalid` */
function parseJobCursor(text: string): NonNullable<JobFilter['after']> {
  const [, added, kind, id] = JOB_CURSOR.exec(text) ?? [];
  if (id === undefined)
    throw new TidemarkError('invalid', `"${text}" is not a place in the list of jobs`, { after: text });
  return { added: Number(added), kind: kind!, id };
}

const NO_JOB = { status: 404, description: 'There is no such job.' };

const MOST_SCHEDULED = 1_000;

/** Jobs, for administrators. */
export function jobRoutes(app: ServedApp): readonly Route[] {
  const { jobs } = app;

  return [
    get('/api/jobs', {
      action: 'administer',
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
      async handle(_request, response, { state, kind, limit, after }) {
        const filter = {
          states: state && [state],
          kinds: kind === undefined ? undefined : [kind],
          after: after === undefined ? undefined : parseJobCursor(after),
        };
        // One more than requested shows whether there are more.
        const [found, counts, scheduled] = await Promise.all([
          jobs.queue.list({ ...filter, limit: limit + 1 }),
          jobs.queue.counts(),
          app.jobs.nextTimes(),
        ]);
        const shown = found.slice(0, limit);
        sendJson(response, {
          jobs: shown.map(jobView),
          ...(found.length > limit && { after: jobCursor(shown.at(-1)!) }),
          counts,
          scheduled: scheduled.slice(0, MOST_SCHEDULED).map(nextJobView),
        });
      },
    }),

    get('/api/jobs/:kind/:job', {
      action: 'administer',
      id: 'showJob',
      tag: 'jobs',
      summary: 'One job, with its log',
      query: NO_PARAMETERS,
      answers: [json(loggedJobSchema, 'The job.'), NO_JOB],
      async handle(request, response) {
        const name = nameOf(request);
        const job = await jobs.queue.get(name);
        sendJson(response, { ...jobView(job), log: await jobs.queue.log(name) });
      },
    }),

    post('/api/jobs/:kind/:job/retry', {
      action: 'administer',
      id: 'retryJob',
      tag: 'jobs',
      summary: 'Runs a job again that failed or was cancelled, or one at once that waits',
      query: NO_PARAMETERS,
      answers: [json(jobSchema, 'The job is queued.'), NO_JOB, { status: 409, description: 'It is running, or done.' }],
      async handle(request, response) {
        sendJson(response, jobView(await jobs.queue.retry(nameOf(request))));
      },
    }),

    post('/api/jobs/:kind/:job/cancel', {
      action: 'administer',
      id: 'cancelJob',
      tag: 'jobs',
      summary: 'Cancels a job',
      description:
        'A running job ends when its worker notices that, a few seconds later: it has `cancelling` until then.',
      query: NO_PARAMETERS,
      answers: [
        json(jobSchema, 'The job is cancelled, or will be.'),
        NO_JOB,
        { status: 409, description: 'It has ended.' },
      ],
      async handle(request, response) {
        sendJson(response, jobView(await app.jobs.cancel(nameOf(request))));
      },
    }),
  ];
}

function nameOf(request: Request): string {
  return `${param(request, 'kind')}/${param(request, 'job')}`;
}

function nextJobView({ next, ...job }: NextTime): JobsView['scheduled'][number] {
  return { ...job, next: new Date(next).toISOString() };
}
