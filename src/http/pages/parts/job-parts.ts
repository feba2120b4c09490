import type { JobView } from '../../../api/job-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { type Html, html } from './html.ts';
import { formatDuration } from './words.ts';

/** Classes of the style sheet for each state. */
const STYLES: Readonly<Record<JobView['state'], string>> = {
  queued: 'quiet',
  running: 'reading',
  done: 'live',
  failed: 'failing',
  cancelled: 'quiet',
};

export function jobLink(job: Pick<JobView, 'name'>, top: string): Html {
  return html`<a href="${top}jobs/${job.name}">${job.name}</a>`;
}

export function jobState({ state, cancelling }: JobView): Html {
  return html`<span class="state ${STYLES[state]}">${cancelling ? 'being cancelled' : state}</span>`;
}

/** Whether the job waits or runs. */
export function isOpen(job: JobView | undefined): boolean {
  return job?.state === 'queued' || job?.state === 'running';
}

/** The last job of a kind of a set, with its error. */
export function lastJob(label: string, job: JobView, top: string): Html {
  return html`<p>${label}: ${jobLink(job, top)} ${jobState(job)} ${isOpen(job) && jobProgress(job)}</p>
${job.state === 'failed' && html`<div class="notice bad"><p>${job.error}</p></div>`}`;
}

/** The progress of a running job. */
export function jobProgress({ progress }: JobView): Html | undefined {
  if (progress === undefined) return undefined;
  const { done, total, text } = progress;
  const numbers =
    done === undefined
      ? undefined
      : total === undefined
        ? formatCount(done)
        : html`<progress aria-label="Progress" value="${done}" max="${total}"></progress> ${formatCount(done)} of ${formatCount(total)}`;
  return html`${text}${text !== undefined && numbers !== undefined && html`<br>`}${numbers}`;
}

/** The duration of the last attempt so far. */
export function jobDuration({ started, finished, state }: JobView, now: number): string | undefined {
  if (started === undefined || state === 'queued') return undefined;
  return formatDuration(Math.max(0, (finished === undefined ? now : Date.parse(finished)) - Date.parse(started)));
}
