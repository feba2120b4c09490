import { jobView } from '../../api/job-views.ts';
import type { JobState } from '../../stores/job.ts';
import { param } from '../request/admitted.ts';
import { page as htmlPage, type Operation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { renderJobPage } from './job-page.ts';
import { renderJobsPage } from './jobs-page.ts';
import { frameOf } from './parts/frame-of.ts';
import { sendPage } from './parts/send-page.ts';

const MOST_SHOWN = 50;

const JOBS = {
  id: 'jobsPage',
  tag: 'pages',
  summary: 'What runs and how far it is, what failed and why, the last runs and the next times',
  answers: [htmlPage('The page.')],
} satisfies Operation;

const JOB = {
  id: 'jobPage',
  tag: 'pages',
  summary: 'A job and its log',
  answers: [htmlPage('The page.'), { status: 404, description: 'There is no such job.' }],
} satisfies Operation;

/** The pages of jobs, for administrators. */
export function jobPageRoutes(app: ServedApp): readonly Route[] {
  const { jobs } = app;
  const inState = async (...states: readonly JobState[]) =>
    (await jobs.list({ states, limit: MOST_SHOWN })).map(jobView);

  return [
    get('/jobs', {
      action: 'administer',
      operation: JOBS,
      async handle(request, response) {
        const [frame, counts, running, queued, failed, ended] = await Promise.all([
          frameOf(app, request, response),
          jobs.counts(),
          inState('running'),
          inState('queued'),
          inState('failed'),
          inState('done', 'cancelled'),
        ]);
        const page = { frame, counts, running, queued, failed, ended, scheduled: app.nextJobs() };
        sendPage(response, renderJobsPage(page));
      },
    }),

    get('/jobs/:kind/:job', {
      action: 'administer',
      operation: JOB,
      async handle(request, response) {
        const name = `${param(request, 'kind')}/${param(request, 'job')}`;
        const [frame, job, log] = await Promise.all([frameOf(app, request, response), jobs.get(name), jobs.log(name)]);
        sendPage(response, renderJobPage({ frame, job: jobView(job), log }));
      },
    }),
  ];
}
