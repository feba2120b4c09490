import { type DatasetRequestView, REQUEST_STATES } from '../../../api/dataset-view.ts';
import { DATASET_STATUSES } from '../../../datasets/status.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { RejectedForm } from '../manage/set-pages.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { onward, queryOf } from '../parts/pager.ts';
import { problemNotice } from '../parts/problem-notice.ts';
import { stackingTable } from '../parts/tables.ts';
import { timeOf } from '../parts/words.ts';
import { AGAIN, isOpen, requestName, requestState, sizeOf } from './dataset-parts.ts';

interface RequestsFilter {
  readonly status?: string | undefined;
  readonly state?: string | undefined;
  readonly set?: string | undefined;
}

export interface DatasetsPage {
  readonly frame: Frame;
  readonly filter: RequestsFilter;
  /** The newest first. */
  readonly requests: readonly DatasetRequestView[];
  /** The position at which this page begins; undefined for the first one. */
  readonly after: string | undefined;
  readonly next: string | undefined;
  /** The slugs of the sets of datasets that the reader may read. */
  readonly sets: readonly string[];
  /** The set to which the reader may add; undefined when there is none. */
  readonly addsTo: string | undefined;
  readonly attempt?: RejectedForm | undefined;
}

/** The requests of datasets that the reader may read, and a form that adds one. */
export function renderDatasetsPage(page: DatasetsPage): string {
  const { frame, filter, requests, after, next, addsTo } = page;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const main = html`<h1>Datasets</h1>
<p class="lead">Datasets of other platforms, which were fetched, compared with what the platform says of them, stored and published.</p>
${addsTo !== undefined && addForm(page, addsTo)}
${(requests.length > 0 || isFiltered || after !== undefined) && filterForm(page)}
${requests.length === 0 ? empty(isFiltered || after !== undefined) : requestTable(page)}
${onward(
  after === undefined ? undefined : { name: 'Newest', href: queryOf({ ...filter }) },
  next === undefined ? undefined : { name: 'Older', href: queryOf({ ...filter, after: next }) },
)}`;
  const again = after === undefined && page.attempt === undefined && requests.some(isOpen) ? AGAIN : undefined;
  return renderPage({ frame, title: 'Datasets', main, part: 'datasets', again });
}

function empty(isFiltered: boolean): Html {
  const text = isFiltered ? 'There is no such request.' : 'No dataset was requested yet, or none that you may read.';
  return html`<p class="quiet">${text}</p>`;
}

function requestTable({ frame, requests, sets }: DatasetsPage): Html {
  return stackingTable('Datasets', requests, [
    {
      name: 'Dataset',
      style: 'name title',
      isHead: true,
      cell: (view) =>
        html`<a href="./${view.id}/">${requestName(view)}</a>${sets.length > 1 && html` <span class="id">${view.set}</span>`}${view.result?.message !== undefined && html`<span class="more-of">${view.result.message}</span>`}`,
    },
    { name: 'Status', style: 'short', cell: requestState },
    { name: 'Platform', style: 'short', cell: ({ result }) => result?.platform },
    { name: 'Strategy', style: 'short wide', cell: ({ result }) => result?.ingest_strategy },
    {
      name: 'Files',
      style: 'number',
      cell: ({ result }) => result?.file_count !== undefined && formatCount(result.file_count),
    },
    { name: 'Size', style: 'number', cell: ({ result }) => sizeOf(result?.total_size) },
    {
      name: 'When',
      style: 'short',
      cell: (view) => timeOf(isOpen(view) ? view.requested : view.result?.updated, frame.now),
    },
  ]);
}

function addForm({ attempt }: DatasetsPage, set: string): Html {
  const box = (name: string, words: string) =>
    html`<label class="box"><input type="checkbox" name="${name}" value="yes"${attempt?.form.get(name) === 'yes' && html` checked`}> ${words}</label>`;
  return html`${problemNotice(attempt?.problem)}
<form class="fields" method="post" action="./${set === 'datasets' ? '' : `?set=${set}`}">
<p><label for="base_url">Add a dataset</label>
<input id="base_url" name="base_url" required maxlength="2000" value="${attempt?.form.get('base_url') ?? ''}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="base_url-hint">
<span class="hint" id="base_url-hint">The URL of its page, a DOI or a handle. It is published in the set ${set}.</span></p>
<details${attempt !== undefined && html` open`}><summary>Options</summary>
<p>${box('followLatest', 'Take the latest version of an identifier that is for all versions')}</p>
<p>${box('bundle', 'Store the file with all others that the platform makes, where there is one')}</p>
<p>${box('acceptMismatch', 'Store files that differ from what the platform says, marked')}</p></details>
<p><button>Add</button></p>
</form>`;
}

function filterForm({ filter, sets }: DatasetsPage): Html {
  const select = (name: keyof RequestsFilter, label: string, choices: readonly string[]) => {
    const option = (choice: string) =>
      html`<option value="${choice}"${choice === filter[name] && html` selected`}>${choice}</option>`;
    return html`<p><label for="${name}">${label}</label>
<select id="${name}" name="${name}"><option value="">all</option>${choices.map(option)}</select></p>`;
  };
  return html`<form class="filter" action="./" method="get">
${select('status', 'Status', DATASET_STATUSES)}
${select('state', 'State', REQUEST_STATES)}
${sets.length > 1 && select('set', 'Set', sets)}
<p><button>Filter</button></p>
</form>`;
}
