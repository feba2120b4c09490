import type { JobView } from '../../../api/job-view.ts';
import { confirmed } from './confirmed.ts';
import { type Html, html } from './html.ts';

/** The actions of an administrator on a job. */
export const JOB_ACTIONS = ['retry', 'cancel'] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];

/** The page to which a button leads back. */
export type Back = 'jobs' | 'job';

/**
 * The buttons for the actions that the state of a job permits, each with a confirmation; undefined when there are none.
 */
export function jobButtons(job: JobView, { top }: { readonly top: string }, back: Back): Html | undefined {
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
export function jobNotice({ name, state, cancelling }: JobView, did: JobAction): Html | undefined {
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
