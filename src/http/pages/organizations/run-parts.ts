import type { RunView, ScheduleView } from '../../../api/activity-run-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { type Html, html } from '../parts/html.ts';
import { stackingTable } from '../parts/tables.ts';
import { timeOf } from '../parts/words.ts';

/** Seconds after which a page with an open run is reloaded. */
export const AGAIN = 5;

/** Classes of the style sheet for each state. */
const STYLES: Readonly<Record<RunView['state'], string>> = {
  waiting: 'quiet',
  running: 'reading',
  succeeded: 'live',
  failed: 'failing',
  stopped: 'failing',
};

export function runState({ state }: Pick<RunView, 'state'>): Html {
  return html`<span class="state ${STYLES[state]}">${state}</span>`;
}

export function isOpen({ state }: Pick<RunView, 'state'>): boolean {
  return state === 'waiting' || state === 'running';
}

/** What added a run, for people. */
export function triggerText({ trigger, after, sender }: RunView): string {
  switch (trigger) {
    case 'command':
      return 'the command line';
    case 'schedule':
      return 'its schedule';
    case 'chain':
      return after === 'stream' ? 'a change of the stream' : `a newer ${after}`;
    case 'request':
    case 'repeat':
      return `a request${sender === undefined ? '' : `, by ${sender}`}`;
  }
}

/** @param home the address of the page of all runs */
export function runTable(
  runs: readonly RunView[],
  { home, now }: { readonly home: string; readonly now: number },
): Html {
  const count = (name: 'written' | 'failed') => ({
    name: name === 'written' ? 'Written' : 'Failed',
    style: 'number',
    cell: ({ totals }: RunView) => totals && formatCount(totals[name]),
  });
  return stackingTable('Runs', runs, [
    {
      name: 'Run',
      style: 'name title',
      isHead: true,
      cell: (run) =>
        html`<a href="${home}${run.activity}/${run.number}/">${run.activity} ${run.number}</a><span class="more-of">by ${triggerText(run)}</span>`,
    },
    { name: 'State', style: 'short', cell: runState },
    count('written'),
    count('failed'),
    { name: 'Added', style: 'short', cell: ({ added }) => timeOf(added, now) },
  ]);
}

export function whenText({ cron, after }: Pick<ScheduleView, 'cron' | 'after'>): string {
  if (after === 'stream') return 'after each change of the stream';
  return cron === undefined ? `after each new ${after}` : `at ${cron}`;
}
