import { documentUri } from '../../publish/documents.ts';
import type { SummarizedSet } from '../../sets/summarized-sets.ts';
import type { StoreTotals } from '../../stores/store-gauge.ts';
import { type Frame, linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { renderPage } from './parts/layout.ts';
import { type Paging, pager } from './parts/pager.ts';
import { searchForm } from './parts/search-form.ts';
import { stateBadge, titleOf } from './parts/set-frame.ts';
import { type Column, figures, stackingTable } from './parts/tables.ts';
import { counted, formatNumber, timeElement } from './parts/words.ts';

export interface HomePage {
  readonly frame: Frame;
  /** The sets of this page. */
  readonly shown: readonly SummarizedSet[];
  /** How many sets there are, and how many of them were found. */
  readonly sets: number;
  readonly found: number;
  /** What they hold together. */
  readonly totals: StoreTotals;
  readonly paging: Paging;
  /** What was searched for; empty when nothing was. */
  readonly q: string;
}

/** With more sets than this, the page has a search. */
const FEW = 12;

/** The source and its sets. */
export function renderHomePage(home: HomePage): string {
  const { frame, sets, totals, shown } = home;
  const sourceDescription = documentUri(frame.baseUrl, { kind: 'sourceDescription' });
  const href = linkTo(sourceDescription, frame);
  const main = html`<h1>Resource sets</h1>
<p class="lead">Collections to mirror, and to keep in sync as they change, with any client of
<a href="https://www.openarchives.org/rs/">ResourceSync</a>. A client begins with the <a href="${href}">Source Description</a>.</p>
${
  sets === 0
    ? nothingYet()
    : html`${figures([
        ['sets', formatNumber(sets)],
        ['resources', formatNumber(totals.resources)],
        ['changes recorded', formatNumber(totals.changes)],
      ])}
${(sets > FEW || home.q !== '') && searchForm({ label: 'Search the sets by title or id', action: frame.top, value: home.q })}
${found(home)}`
}
${frame.viewer.isAdministrator && html`<p class="more"><a href="./add-set">Add a set</a></p>`}`;
  return renderPage({
    frame,
    title: 'Resource sets',
    main,
    part: 'sets',
    again: shown.some(({ set }) => !set.ready) ? 5 : undefined,
  });
}

function found({ frame, shown, found, paging, q }: HomePage): Html {
  const summary = q !== '' && html`<p class="quiet" role="status">${counted(found, 'set')} with “${q}”</p>`;
  if (shown.length === 0) return html`${summary}`;
  return html`${summary}${stackingTable('Resource sets', shown, columns(frame))}${pager(paging, { q })}`;
}

function columns({ now }: Frame): readonly Column<SummarizedSet>[] {
  return [
    { name: 'Set', style: 'name title', isHead: true, cell: ({ set }) => setName(set) },
    { name: 'Resources', style: 'number', cell: ({ summary }) => formatNumber(summary.resources) },
    { name: 'Changes', style: 'number wide', cell: ({ summary }) => formatNumber(summary.changes) },
    {
      name: 'Last changed',
      style: 'short',
      cell: ({ summary }) => (summary.lastChange === 0 ? 'never' : timeElement(summary.lastChange, now)),
    },
  ];
}

function setName(set: SummarizedSet['set']): Html {
  return html`<a href="./sets/${set.slug}/">${titleOf(set)}</a> ${set.title !== undefined && html`<span class="id">${set.slug}</span>`} ${stateBadge(set)}`;
}

function nothingYet(): Html {
  return html`<div class="notice"><p>There is no set yet. Publish a folder with <code>tidemark publish FOLDER</code>, or make a
set that changes are posted to with <code>tidemark sets add ID --url-prefix URL</code>.</p></div>`;
}
