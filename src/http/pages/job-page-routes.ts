import type { Request } from 'express';
import * as z from 'zod';
import { jobView } from '../../api/job-view.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { JobState } from '../../stores/job.ts';
import { param } from '../request/admitted.ts';
import { page as htmlPage, type Operation, pageOperation } from '../request/operation.ts';
import { get, post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { renderJobPage } from './job-page.ts';
import { renderJobsPage } from './jobs-page.ts';
import { frameOf } from './parts/frame-of.ts';
import { type Back, JOB_ACTIONS, type JobAction } from './parts/job-buttons.ts';
import { sendPage } from './parts/send-page.ts';

const MOST_SHOWN = 50;

function byForm(action: string, summary: string) {
  return {
    id: `${action}JobByForm`,
    tag: 'pages',
    summary: `${summary}, and leads back to the page of the button`,
    query: z.object({ back: z.enum(['jobs', 'job']).default('job') }),
    answers: [
      { status: 303, description: 'It is done.', headers: ['Location'] },
      { status: 404, description: 'There is no such job.' },
      { status: 409, description: 'The job is in another state by now.' },
    ],
  } as const satisfies Operation;
}

/** The pages of jobs, for administrators. */
export function jobPageRoutes(app: ServedApp): readonly Route[] {
  const { jobs } = app;
  const inState = async (...states: readonly JobState[]) =>
    (await jobs.queue.list({ states, limit: MOST_SHOWN })).map(jobView);
  const jobOrNone = async (name: string) => {
    try {
      return jobView(await jobs.queue.get(name));
    } catch (error) {
      if (isTidemarkError(error, 'not-found') || isTidemarkError(error, 'invalid')) return undefined;
      throw error;
    }
  };

  return [
    get('/jobs', {
      action: 'administer',
      ...pageOperation(
        'jobsPage',
        'What runs and how far it is, what failed and why, the last runs and the next times',
      ),
      query: z.object({ did: z.enum(JOB_ACTIONS).optional(), job: z.string().optional() }),
      async handle(request, response, { did, job }) {
        const [changed, frame, counts, next, running, queued, failed, ended] = await Promise.all([
          job === undefined ? undefined : jobOrNone(job),
          frameOf(app, request, response),
          jobs.queue.counts(),
          app.jobs.nextTimes(),
          inState('running'),
          inState('queued'),
          inState('failed'),
          inState('done', 'cancelled'),
        ]);
        const scheduled = next.slice(0, MOST_SHOWN);
        const page = { frame, counts, running, queued, failed, ended, scheduled, changed, did };
        sendPage(response, renderJobsPage(page));
      },
    }),

    get('/jobs/:kind/:job', {
      action: 'administer',
      id: 'jobPage',
      tag: 'pages',
      summary: 'A job and its log',
      query: z.object({ did: z.enum(JOB_ACTIONS).optional() }),
      answers: [htmlPage('The page.'), { status: 404, description: 'There is no such job.' }],
      async handle(request, response, { did }) {
        const name = nameOf(request);
        const [frame, job, log] = await Promise.all([
          frameOf(app, request, response),
          jobs.queue.get(name),
          jobs.queue.log(name),
        ]);
        sendPage(response, renderJobPage({ frame, job: jobView(job), log, did }));
      },
    }),

    post('/jobs/:kind/:job/retry', {
      action: 'administer',
      ...byForm('retry', 'Runs a job again that failed or was cancelled, or one at once that waits'),
      async handle(request, response, { back }) {
        const { kind, id } = await jobs.queue.retry(nameOf(request));
        response.redirect(303, wayBack({ kind, id, did: 'retry', back }));
      },
    }),

    post('/jobs/:kind/:job/cancel', {
      action: 'administer',
      ...byForm('cancel', 'Cancels a job'),
      async handle(request, response, { back }) {
        const { kind, id } = await app.jobs.cancel(nameOf(request));
        response.redirect(303, wayBack({ kind, id, did: 'cancel', back }));
      },
    }),
  ];
}

function nameOf(request: Request): string {
  return `${param(request, 'kind')}/${param(request, 'job')}`;
}

interface Changed {
  readonly kind: string;
  readonly id: string;
  readonly did: JobAction;
  readonly back: Back;
}

/** The address of the page to return to, relative to that of the button. */
function wayBack({ kind, id, did, back }: Changed): string {
  if (back === 'job') return `../${id}?did=${did}`;
  return `../../../jobs?${new URLSearchParams({ did, job: `${kind}/${id}` })}`;
}
