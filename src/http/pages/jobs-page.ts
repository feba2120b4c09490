import type { JobView } from '../../api/job-view.ts';
import { waitText } from '../../api/job-view.ts';
import type { NextTime } from '../../jobs/scheduler.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { JobCount } from '../../stores/job-records.ts';
import type { Frame } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { type JobAction, jobButtons, jobNotice } from './parts/job-buttons.ts';
import { jobDuration, jobLink, jobProgress, jobState } from './parts/job-parts.ts';
import { renderPage } from './parts/layout.ts';
import { type Column, figures, stackingTable } from './parts/tables.ts';
import { timeOf } from './parts/words.ts';

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
export function renderJobsPage(page: JobsPage): string {
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
