import type { HarvestView } from '../../../api/harvest-run-view.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { oaiBase } from '../../../core/set-uris.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { copySection } from '../organizations/copy-section.ts';
import { activityPlot, type Series } from '../parts/activity-plot.ts';
import { confirmed } from '../parts/confirmed.ts';
import { type Html, html } from '../parts/html.ts';
import { onward, queryOf } from '../parts/pager.ts';
import { facts, figures } from '../parts/tables.ts';
import { counted, timeOf } from '../parts/words.ts';
import { type CollectionFrame, collectionTitle, renderCollectionFrame } from './collection-frame.ts';
import { errataTables } from './harvest-errata.ts';
import { AGAIN, failureText, harvestState, harvestTable, isOpen } from './harvest-parts.ts';

interface CollectionPage extends CollectionFrame {
  /** Live records. */
  readonly records: number;
  /** Changes of its set by day; undefined before it has one. */
  readonly days: Series | undefined;
  /** Newest first. */
  readonly harvests: readonly HarvestView[];
  /** The `before` of the next page. */
  readonly next: number | undefined;
  readonly before: number | undefined;
  /** The first errors of the newest harvest. */
  readonly errata: readonly Erratum[];
  /** The sets of its records, and of the stored responses, that the reader may read. */
  readonly sets: readonly ResourceSet[];
  /** The action that was just done. */
  readonly did?: string | undefined;
}

/** A collection: its settings, harvests, latest errors, and how its records have changed. */
export function renderCollectionPage(page: CollectionPage): string {
  const { collection, frame, harvests, records, days, sets, did, before, next } = page;
  const [last] = before === undefined ? harvests : [];
  const main = html`${did !== undefined && html`<p class="notice good" role="status">${did}</p>`}
<p class="subtitle"><span class="id">${collection.collection}</span> · ${collection.repository.name}</p>
${figures([
  ['records now', formatCount(records)],
  ['last harvest', last === undefined ? 'never' : html`${timeOf(last.ended ?? last.added, frame.now)}`],
  ['next', timeOf(collection.next, frame.now) ?? 'when asked for'],
])}
${last?.failure !== undefined && html`<div class="notice bad" role="status"><p>The last harvest failed. ${failureText(last)} <a href="./harvests/${last.number}/">See it</a></p></div>`}
${frame.viewer.isAdministrator && buttons(collection.collection)}
<h2>Harvests</h2>
${harvests.length === 0 ? html`<p class="quiet">It was not harvested yet. <code>tidemark harvest ${collection.collection}</code> does it.</p>` : harvestTable(harvests, { home: './', now: frame.now })}
${onward(
  before === undefined ? undefined : { name: 'Latest', href: './' },
  next === undefined ? undefined : { name: 'Older', href: queryOf({ before: String(next) }) },
)}
${last !== undefined && errorSection(page, last)}
${
  days !== undefined &&
  html`<h2>How its records have changed</h2>
<div class="plots">${activityPlot(days)}</div>`
}
<h2>Settings</h2>
${settings(page)}
${frame.viewer.isAdministrator && html`<p class="more"><a href="./settings">Change or remove it</a></p>`}
${copySection('this collection', sets, frame)}`;
  return renderCollectionFrame(page, {
    heading: html`${collectionTitle(collection)} ${last && harvestState(last)}`,
    main,
    again: harvests.some(isOpen) ? AGAIN : undefined,
  });
}

function errorSection({ errata }: CollectionPage, { number, outcome }: HarvestView): Html | undefined {
  if (errata.length === 0) return undefined;
  return html`<h2 id="errors">Errors of the last harvest</h2>
${errataTables('Errors of the last harvest', outcome?.reasons ?? [], errata)}
<p class="more"><a href="./harvests/${number}/#errors">All of them</a></p>`;
}

function settings({ collection, frame }: CollectionPage): Html {
  const served = oaiBase(frame.baseUrl, collection.collection);
  const { provider, baseUrl, format, sets, transform, malformed, validate, requireUri, repository } = collection;
  const checks = [validate && 'the schema of the format', requireUri && 'an identifier that is a URI'].filter(Boolean);
  return facts([
    ['Repository', html`<a href="${baseUrl}?verb=Identify">${baseUrl}</a>`],
    ['Served as OAI-PMH', html`<a href="${served}?verb=Identify">${served}</a>`],
    ['Format', format],
    ['Sets', sets.length === 0 ? 'all records' : sets.join(', ')],
    ['Organization', html`<a href="${frame.top}organizations/${provider}/">${provider}</a>`],
    ['Transform', transform],
    ['Malformed XML', malformed === 'stop' ? 'ends the harvest' : 'leaves out the record'],
    ['Checked', checks.length === 0 ? undefined : checks.join(', ')],
    ['Harvested', collection.schedule],
    ['In full', collection.fullSchedule],
    ['Handle', collection.handle],
    ['Message to', collection.message],
    ['Granularity', repository.granularity],
    ['Deletions', `${repository.deletions}, as the repository says`],
    ['Its sets', repository.sets && counted(repository.sets.length, 'set')],
  ]);
}

/** Harvests change what is published, so each asks for confirmation. */
function buttons(collection: string): Html {
  const button = (text: string, kind: string, consequence: string) =>
    confirmed({
      text,
      of: collection,
      consequence,
      confirm: text,
      action: `./harvests?kind=${kind}`,
      isHarmless: kind !== 'full',
    });
  return html`<div class="buttons">${button('Harvest', 'incremental', 'It asks for what has changed since the last harvest.')}${button('Harvest in full', 'full', 'It asks for all records. Those that the repository does not have any more are deleted.')}${button('Test', 'test', 'It reads and transforms up to 1,000 records, and changes nothing.')}${button('Check', 'check', 'It asks for the first page of each list, and changes nothing.')}</div>`;
}
