import type { Request } from 'express';
import type { JobsView } from '../../api/job-schemas.ts';
import { jobCursor, jobView, parseJobCursor } from '../../api/job-views.ts';
import type { NextTime } from '../../jobs/scheduler.ts';
import { param } from '../request/admitted.ts';
import { get, post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';
import { CANCEL_JOB, LIST_JOBS, RETRY_JOB, SHOW_JOB } from './job-operations.ts';

const MOST_SCHEDULED = 1_000;

/** Jobs, for administrators. */
export function jobRoutes(app: ServedApp): readonly Route[] {
  const { jobs } = app;

  return [
    get('/api/jobs', {
      action: 'administer',
      operation: LIST_JOBS,
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
      operation: SHOW_JOB,
      async handle(request, response) {
        const name = nameOf(request);
        const job = await jobs.queue.get(name);
        sendJson(response, { ...jobView(job), log: await jobs.queue.log(name) });
      },
    }),

    post('/api/jobs/:kind/:job/retry', {
      action: 'administer',
      operation: RETRY_JOB,
      async handle(request, response) {
        sendJson(response, jobView(await jobs.queue.retry(nameOf(request))));
      },
    }),

    post('/api/jobs/:kind/:job/cancel', {
      action: 'administer',
      operation: CANCEL_JOB,
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
