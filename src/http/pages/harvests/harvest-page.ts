import { changesText, type HarvestView } from '../../../api/harvest-run-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { ErrataPage } from '../../../records/errata/read-errata.ts';
import { confirmed } from '../parts/confirmed.ts';
import { type Html, html } from '../parts/html.ts';
import { jobLink } from '../parts/job-parts.ts';
import { onward, queryOf } from '../parts/pager.ts';
import { facts, figures, stackingTable } from '../parts/tables.ts';
import { counted, formatDuration, timeOf } from '../parts/words.ts';
import { type CollectionFrame, renderCollectionFrame } from './collection-frame.ts';
import { errataTables } from './harvest-errata.ts';
import { AGAIN, failureText, harvestState, isOpen, triggerText } from './harvest-parts.ts';

interface HarvestPage extends CollectionFrame {
  readonly harvest: HarvestView;
  readonly errata: ErrataPage;
  /** Offset of the errata of this page, in bytes. */
  readonly at: number;
}

/** A harvest: its lists, numbers, errors, stored responses and message. */
export function renderHarvestPage(page: HarvestPage): string {
  const { harvest, frame } = page;
  const { kind, number, outcome, added, started, ended, force, of, job, uuid, responses } = harvest;
  const heading = `${kind} ${number}`;
  const main = html`${notice(page)}
${outcome !== undefined && numbers(outcome)}
${facts([
  ['Added', timeOf(added, frame.now)],
  ['By', triggerText(harvest)],
  ['Started', timeOf(started, frame.now)],
  ['Ended', timeOf(ended, frame.now)],
  ['Took', started && ended && formatDuration(Date.parse(ended) - Date.parse(started))],
  [
    'Reads',
    of === undefined ? undefined : html`the responses of <a href="../${of}/">harvest ${of}</a>, and of those after it`,
  ],
  ['Drop', force && 'accepted'],
  ['In the set', changesText(harvest)],
  ['Responses', responses && html`<a href="${frame.top}api/${responses}">as they came</a>, a tar of gzip files`],
  ['Id of the request', uuid],
  ['Message', messageText(harvest, frame.now)],
  ['Job', job && (frame.viewer.isAdministrator ? jobLink({ name: job }, frame.top) : job)],
])}
${harvest.lists.length > 0 && listSection(harvest)}
${errorSection(page)}`;
  return renderCollectionFrame(page, {
    heading: html`${heading} ${harvestState(harvest)}`,
    title: heading,
    main,
    again: isOpen(harvest) ? AGAIN : undefined,
  });
}

function notice(page: HarvestPage): Html | undefined {
  const { harvest, frame } = page;
  const { failure, state } = harvest;
  if (failure === undefined) {
    if (state !== 'waiting') return undefined;
    return html`<div class="notice" role="status"><p>It waits for a server that is free, or for another harvest of this collection.</p></div>`;
  }
  return html`<div class="notice bad" role="status"><p>${failureText(harvest)}</p>
${frame.viewer.isAdministrator && again(harvest)}</div>`;
}

/** What may help after a failure: a drop can only be accepted of a full harvest that has received all. */
function again({ kind, number, responses }: HarvestView): Html | undefined {
  if (responses === undefined) return undefined;
  const of = `${kind} ${number}`;
  if (kind !== 'full') {
    const consequence = 'The stored responses are read again, with the present settings.';
    return confirmed({
      text: 'Read it again',
      of,
      consequence,
      confirm: 'Read it again',
      action: './again',
      isHarmless: true,
    });
  }
  const consequence = 'It asks for all records again, and deletes those that do not come, however many that are.';
  const action = '../../harvests?kind=full&drop=accept';
  return confirmed({ text: 'Accept the drop', of, consequence, confirm: 'Accept the drop', action });
}

function numbers({ records, deletions, errors, warnings }: NonNullable<HarvestView['outcome']>): Html {
  const counts = { records, deletions, errors, ...(warnings > 0 && { warnings }) };
  return figures(Object.entries(counts).map(([name, count]) => [name, formatCount(count)]));
}

function messageText({ message }: HarvestView, now: number): Html | string | undefined {
  if (message === undefined) return undefined;
  const { attempts, accepted, problem } = message;
  if (accepted !== undefined) return html`accepted ${timeOf(accepted, now)}`;
  return `${counted(attempts, 'attempt')}${problem === undefined ? '' : `: ${problem}`}`;
}

function listSection({ lists }: HarvestView): Html {
  return html`<h2>What was received</h2>
${stackingTable('What was received', lists, [
  {
    name: 'Set',
    style: 'name',
    isHead: true,
    cell: ({ set, lastIdentifier }) =>
      html`${set ?? 'all records'}${lastIdentifier !== undefined && html`<span class="more-of">up to ${lastIdentifier}</span>`}`,
  },
  { name: 'From', style: 'short', cell: ({ from }) => from ?? 'the beginning' },
  { name: 'Pages', style: 'number', cell: ({ pages }) => formatCount(pages) },
  { name: 'Records', style: 'number', cell: ({ records }) => formatCount(records) },
  {
    name: 'Of',
    style: 'number',
    cell: ({ completeListSize }) => completeListSize !== undefined && formatCount(completeListSize),
  },
  {
    name: 'Complete',
    style: 'short',
    cell: ({ complete }) => html`<span class="state ${complete ? 'live' : 'quiet'}">${complete ? 'yes' : 'no'}</span>`,
  },
])}`;
}

function errorSection({ harvest, errata, at, frame }: HarvestPage): Html | undefined {
  if (errata.errata.length === 0) return undefined;
  const { collection, number, outcome } = harvest;
  return html`<h2 id="errors">Errors and warnings</h2>
<p class="quiet">What else was received was taken over, and so were records with a warning. What could not be read stays as it was. All: <a href="${frame.top}api/collections/${collection}/harvests/${number}/errata">as JSON</a>.</p>
${errataTables('Errors and warnings', outcome?.reasons ?? [], errata.errata)}
${onward(
  at === 0 ? undefined : { name: 'First', href: './#errors' },
  errata.next === undefined ? undefined : { name: 'Next', href: `${queryOf({ errors: String(errata.next) })}#errors` },
)}`;
}
