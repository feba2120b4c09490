import { type HarvestView, receivedOf, stateText } from '../../../api/harvest-run-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { type Html, html } from '../parts/html.ts';
import { type Column, stackingTable } from '../parts/tables.ts';
import { sentence, timeOf } from '../parts/words.ts';

/** Seconds after which a page with an open harvest is reloaded. */
export const AGAIN = 5;

/** Classes of the style sheet, by status, and by state before it has ended. */
const STYLES = { 2: 'live', 3: 'reading', 4: 'failing' } as const;
const OPEN_STYLES = { waiting: 'quiet', running: 'reading', received: 'reading', ended: 'quiet' } as const;

const TRIGGERS: Readonly<Record<HarvestView['trigger'], string>> = {
  command: 'the command line',
  schedule: 'its schedule',
  request: 'a request',
  'trigger-file': 'a trigger file',
};

export function harvestState(view: HarvestView): Html {
  const style = view.status === undefined ? OPEN_STYLES[view.state] : STYLES[view.status];
  return html`<span class="state ${style}">${stateText(view)}</span>`;
}

/** Why it has failed, as a sentence. */
export function failureText({ failure = '' }: HarvestView): string {
  return `${sentence(failure)}${/nothing was/i.test(failure) ? '' : ' Nothing was changed.'}`;
}

export function isOpen({ state }: Pick<HarvestView, 'state'>): boolean {
  return state !== 'ended';
}

/** What added a harvest, for people. */
export function triggerText({ trigger, file }: Pick<HarvestView, 'trigger' | 'file'>): string {
  return `${TRIGGERS[trigger]}${file === undefined ? '' : ` (${file})`}`;
}

/** @param home the address of the page of the collection */
export function harvestTable(
  harvests: readonly HarvestView[],
  { home, now }: { readonly home: string; readonly now: number },
): Html {
  const applied = (name: 'created' | 'updated' | 'deleted'): Column<HarvestView> => ({
    name: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    style: 'number',
    cell: ({ outcome }) => outcome?.[name] !== undefined && formatCount(outcome[name]),
  });
  return stackingTable('Harvests', harvests, [
    {
      name: 'Harvest',
      style: 'name title',
      isHead: true,
      cell: (view) =>
        html`<a href="${home}harvests/${view.number}/">${view.kind} ${view.number}</a><span class="more-of">by ${triggerText(view)}</span>`,
    },
    { name: 'Status', style: 'short', cell: harvestState },
    { name: 'Received', style: 'number', cell: (view) => formatCount(receivedOf(view).records) },
    ...(['created', 'updated', 'deleted'] as const).map(applied),
    { name: 'Errors', style: 'number', cell: ({ outcome }) => outcome && formatCount(outcome.errors) },
    { name: 'Added', style: 'short', cell: ({ added }) => timeOf(added, now) },
  ]);
}
