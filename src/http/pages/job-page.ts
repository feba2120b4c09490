import type { JobView } from '../../api/job-view.ts';
import { waitText } from '../../api/job-view.ts';
import type { Frame } from './parts/frame.ts';
import { html } from './parts/html.ts';
import { type JobAction, jobButtons, jobNotice } from './parts/job-buttons.ts';
import { jobDuration, jobProgress, jobState } from './parts/job-parts.ts';
import { renderPage } from './parts/layout.ts';
import { facts } from './parts/tables.ts';
import { timeOf } from './parts/words.ts';

interface JobPage {
  readonly frame: Frame;
  readonly job: JobView;
  /** Oldest line first. */
  readonly log: readonly string[];
  /** The button of the page that was just pressed. */
  readonly did?: JobAction | undefined;
}

/** A job and its log. */
export function renderJobPage({ frame, job, log, did }: JobPage): string {
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
