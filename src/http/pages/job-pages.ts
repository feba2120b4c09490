import type { Request } from 'express';
import * as z from 'zod';
import type { JobView } from '../../api/job-view.ts';
import { jobView, waitText } from '../../api/job-view.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { NextTime } from '../../jobs/scheduler.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { JobState } from '../../stores/job.ts';
import type { JobCount } from '../../stores/job-records.ts';
import { param } from '../request/admitted.ts';
import { page as htmlPage, type Operation, pageOperation } from '../request/operation.ts';
import { get, post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { confirmed } from './parts/confirmed.ts';
import type { Frame } from './parts/frame.ts';
import { frameOf } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { jobDuration, jobLink, jobProgress, jobState } from './parts/job-parts.ts';
import { renderPage } from './parts/layout.ts';
import { sendPage } from './parts/send-page.ts';
import { type Column, facts, figures, stackingTable } from './parts/tables.ts';
import { timeOf } from './parts/words.ts';

const MOST_SHOWN = 50;

function byForm(action: string, summary: string) {
  return {
    id: `${action}JobByForm`,
    tag: 'pages',
    summary: `${summary}, and leads back to the page of the button`,
    query: z.object({ back: z.enum(['jobs', 'job']).default('job') }),
    answers: [
      { status: 303, description: 'The change was made; Location is the page that shows it.', headers: ['Location'] },
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

interface JobsPage {
  readonly frame: Frame;
  readonly counts: readonly JobCount[];
  /** The last jobs that were added, in each state. */
  readonly running: readonly JobView[];
  readonly queued: readonly JobView[];
  readonly failed: readonly JobView[];
  readonly ended: readonly JobView[];
  readonly scheduled: readonly NextTime[];
  /** The job whose button was just pressed, and that button. */
  readonly changed?: JobView | undefined;
  readonly did?: JobAction | undefined;
}

/** Seconds after which the page is reloaded: jobs change. */
const AGAIN = 5;

/** Running jobs with their progress, failed ones with their errors, the last runs and the next times. */
function renderJobsPage(page: JobsPage): string {
  const { frame, running, queued, failed, ended, scheduled, changed, did } = page;
  const columns = columnsFor(frame);
  const { job, state, progress, when, took, attempts, error, why, buttons } = columns;
  const main = html`<h1>Jobs</h1>
${changed !== undefined && did !== undefined && jobNotice(changed, did)}
<p class="lead">Work that is done later, repeatedly, or for long. Any process of the source may do it.</p>
${figures((['running', 'queued', 'failed', 'done'] as const).map((name) => [name, formatCount(countOf(page, name))]))}
${section('Running', running, [job, when('Since', ({ started }) => started), progress, columns.worker, attempts, buttons], 'Nothing runs just now.')}
${failed.length > 0 && section('Failed', failed, [job, when('When', ({ finished }) => finished), attempts, error, buttons], '')}
${queued.length > 0 && section('Waiting', queued, [job, when('Not before', ({ notBefore }) => notBefore), attempts, why, buttons], '')}
<h2>Next times</h2>
${scheduled.length === 0 ? html`<p class="quiet">Nothing is scheduled.</p>` : stackingTable('Next times', scheduled, scheduleColumns(frame))}
${section('Last runs', ended, [job, state, when('When', ({ finished }) => finished), took, attempts, buttons], 'Nothing has run yet.')}`;
  return renderPage({ frame, title: 'Jobs', main, part: 'jobs', again: AGAIN });
}

function countOf({ counts }: JobsPage, state: JobView['state']): number {
  return counts.reduce((sum, { state: its, count }) => sum + (its === state ? count : 0), 0);
}

function section(title: string, jobs: readonly JobView[], columns: readonly Column<JobView>[], empty: string): Html {
  return html`<h2>${title}</h2>
${jobs.length === 0 ? html`<p class="quiet">${empty}</p>` : stackingTable(title, jobs, columns)}`;
}

function columnsFor(frame: Frame) {
  const { top, now } = frame;
  return {
    job: { name: 'Job', style: 'name', isHead: true, cell: (job) => jobLink(job, top) },
    state: { name: 'State', style: 'short', cell: jobState },
    progress: { name: 'Progress', cell: jobProgress },
    worker: { name: 'Process', style: 'name wide', cell: ({ worker }) => worker },
    took: { name: 'Took', style: 'number', cell: (job) => jobDuration(job, now) },
    attempts: { name: 'Attempts', style: 'number', cell: ({ attempts }) => formatCount(attempts) },
    error: { name: 'Error', style: 'name', cell: ({ error }) => error },
    why: { name: 'Why', style: 'name', cell: ({ waits, error }) => (waits === undefined ? error : waitText(waits)) },
    buttons: {
      name: 'Actions',
      style: 'short',
      cell: (job) => (job.cancelling ? 'being cancelled' : jobButtons(job, frame, 'jobs')),
    },
    when: (name: string, time: (job: JobView) => string | undefined): Column<JobView> => ({
      name,
      style: 'short',
      cell: (job) => timeOf(time(job), now),
    }),
  } satisfies Record<string, Column<JobView> | ((name: string, time: (job: JobView) => string | undefined) => unknown)>;
}

function scheduleColumns({ now }: Frame): readonly Column<NextTime>[] {
  return [
    { name: 'Kind', style: 'name', isHead: true, cell: ({ kind }) => kind },
    { name: 'Of', style: 'name', cell: ({ set, activity }) => set ?? activity },
    { name: 'Next', style: 'short', cell: ({ next }) => timeOf(new Date(next).toISOString(), now) },
    { name: 'Schedule', style: 'name', cell: ({ schedule }) => schedule },
  ];
}

interface JobPage {
  readonly frame: Frame;
  readonly job: JobView;
  /** Oldest line first. */
  readonly log: readonly string[];
  /** The button of the page that was just pressed. */
  readonly did?: JobAction | undefined;
}

/** A job and its log. */
function renderJobPage({ frame, job, log, did }: JobPage): string {
  const { top, now } = frame;
  const { name, payload, added, notBefore, started, finished, worker, attempts, waits, error, result, state } = job;
  const isOpen = state === 'queued' || state === 'running';
  const main = html`<nav class="crumbs" aria-label="Way"><ol><li><a href="${top}jobs">Jobs</a></li></ol></nav>
<h1>${name} ${jobState(job)}</h1>
${did !== undefined && jobNotice(job, did)}
${error !== undefined && html`<div class="notice bad" role="status"><p>${error}</p></div>`}
${waits !== undefined && html`<div class="notice" role="status"><p>It ${waitText(waits)}.</p></div>`}
${facts([
  ['Progress', jobProgress(job)],
  ['Added', timeOf(added, now)],
  ['Not before', timeOf(notBefore, now)],
  ['Attempts', attempts],
  ['Started', timeOf(started, now)],
  ['Finished', timeOf(finished, now)],
  ['Took', jobDuration(job, now)],
  ['Process', worker],
  ['Works on', html`<code>${JSON.stringify(payload)}</code>`],
  ['Result', result === undefined ? undefined : html`<code>${JSON.stringify(result)}</code>`],
])}
${jobButtons(job, frame, 'job')}
<h2>Log</h2>
${log.length === 0 ? html`<p class="quiet">It has logged nothing.</p>` : html`<pre class="log" tabindex="0">${log.join('\n')}</pre>`}`;
  return renderPage({ frame, title: name, main, again: isOpen ? 5 : undefined });
}

/** The actions of an administrator on a job. */
const JOB_ACTIONS = ['retry', 'cancel'] as const;
type JobAction = (typeof JOB_ACTIONS)[number];

/** The page to which a button leads back. */
type Back = 'jobs' | 'job';

/**
 * The buttons for the actions that the state of a job permits, each with a confirmation; undefined when there are none.
 */
function jobButtons(job: JobView, { top }: { readonly top: string }, back: Back): Html | undefined {
  const { name, state } = job;
  const to = (action: JobAction) => `${top}jobs/${name}/${action}?back=${back}`;
  const isQueued = state === 'queued';
  const forms = [
    canRetry(job) &&
      confirmed({
        text: isQueued ? 'Run now' : 'Retry',
        of: name,
        consequence: isQueued ? 'It does not wait for its time.' : 'It runs again, from its beginning.',
        confirm: isQueued ? 'Run it now' : 'Retry it',
        action: to('retry'),
        isHarmless: true,
      }),
    canCancel(job) &&
      confirmed({
        text: 'Cancel',
        of: name,
        consequence: isQueued ? 'It will not run.' : 'It ends, and what it has not finished is lost.',
        confirm: 'Cancel it',
        action: to('cancel'),
      }),
  ].filter((form) => form !== false);
  return forms.length === 0 ? undefined : html`<div class="buttons">${forms}</div>`;
}

/** A notice about the effect of a button, as long as the job still has that state. */
function jobNotice({ name, state, cancelling }: JobView, did: JobAction): Html | undefined {
  const text =
    did === 'retry'
      ? state === 'queued' && `The job ${name} is queued, and runs as soon as a worker is free.`
      : state === 'cancelled'
        ? `The job ${name} was cancelled.`
        : cancelling && `The job ${name} is being cancelled: it ends when its worker notices that, in some seconds.`;
  return text ? html`<p class="notice good" role="status">${text}</p>` : undefined;
}

/** A job that waits for a later time can be run at once. */
const canRetry = ({ state, notBefore }: JobView) =>
  state === 'failed' || state === 'cancelled' || (state === 'queued' && notBefore !== undefined);

const canCancel = ({ state, cancelling }: JobView) => state === 'queued' || (state === 'running' && !cancelling);
