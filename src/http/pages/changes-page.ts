import { CHANGE_KINDS, type Change } from '../../core/change.ts';
import type { TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import { type ChangeFilter, isFiltered } from './change-filter.ts';
import { type Html, html } from './parts/html.ts';
import { type NameSearch, parseNameSearch } from './parts/name-search.ts';
import { onward, queryOf } from './parts/pager.ts';
import { changeTable } from './parts/resource-parts.ts';
import { wrongQueryNotice } from './parts/search-form.ts';
import { feedLink, readingNotice, renderSetFrame, type SetFrame } from './parts/set-frame.ts';
import { clockTime, formatDate } from './parts/words.ts';

interface ChangesPage extends SetFrame {
  readonly filter: ChangeFilter;
  /** Newest first. */
  readonly changes: readonly Change[];
  /** Whether there are no newer ones, and the boundary below which older ones continue, if there may be any. */
  readonly isLatest: boolean;
  readonly older: number | undefined;
}

/** The changes of a set, back to the beginning of its epoch. */
export function renderChangesPage(page: ChangesPage): string {
  const { set, changes, isLatest, older, filter, frame } = page;
  const main = html`${readingNotice(set)}
${filterForm(filter)}
${changes.length === 0 ? html`<p class="quiet" role="status">${nothing(page)}</p>` : days(changes, parseNameSearch(filter.q))}
${onward(
  isLatest ? undefined : { name: 'Latest', href: `./changes${isFiltered(filter) ? queryOf({ ...filter }) : ''}` },
  older === undefined
    ? undefined
    : { name: changes.length === 0 ? 'Search on' : 'Older', href: queryOf({ ...filter, before: String(older) }) },
)}
<p class="more"><a href="${frame.top}api/sets/${set.slug}/changes.csv" download>All changes as CSV</a> · <a href="./changes.atom">New changes as an Atom feed</a></p>`;
  return renderSetFrame(page, main, { links: [feedLink(set)] });
}

/** The form with an invalid filter, and the error. */
export function renderWrongFilter(page: SetFrame, filter: ChangeFilter, problem: TidemarkError): string {
  return renderSetFrame(page, html`${filterForm(filter, problem.details.field)}\n${wrongQueryNotice(problem)}`);
}

function filterForm(filter: ChangeFilter, wrong?: unknown): Html {
  const { q, kind, from, until } = filter;
  const invalid = (name: string) => name === wrong && html` aria-invalid="true"`;
  const kinds = CHANGE_KINDS.map(
    (one) => html`<option value="${one}"${one === kind && html` selected`}>${one}</option>`,
  );
  const dayField = (name: 'from' | 'until', label: string, value = '') =>
    html`<p><label for="${name}">${label}</label><input id="${name}" name="${name}" type="date" value="${value}"${invalid(name)}></p>`;
  return html`<form class="filter" role="search" action="./changes" method="get">
<p><label for="q">A part of the name (<code>*</code> is any text)</label><input id="q" name="q" type="search" value="${q}" maxlength="120" autocomplete="off" spellcheck="false"${invalid('q')}></p>
<p><label for="kind">Change</label><select id="kind" name="kind"${invalid('kind')}><option value="">any</option>${kinds}</select></p>
${dayField('from', 'From (day, UTC)', from)}
${dayField('until', 'Until (day, UTC)', until)}
<p><button>Show</button> ${isFiltered(filter) && html`<a class="about" href="./changes">All changes</a>`}</p>
</form>`;
}

function nothing({ set, filter, isLatest, older, frame }: ChangesPage): Html | string {
  if (older !== undefined) return 'Nothing so far. There are older changes, which have not been searched.';
  if (!isLatest) return 'There is nothing before this.';
  if (isFiltered(filter))
    return html`No change fits. Try a shorter text or more days, or see <a href="./changes">all changes</a>.`;
  const { shown } = traitsOf(set.origin);
  if (shown !== undefined) return `Nothing has changed yet. ${shown.changes} shown here.`;
  return html`Nothing has changed yet. Changes that a program <a href="${frame.top}api/reference/changes#postChanges">posts</a> are shown here.`;
}

/** A table for each day, in UTC. */
function days(changes: readonly Change[], search: NameSearch): readonly Html[] {
  const byDay = Map.groupBy(changes, ({ stamp }) => formatDate(new Date(stamp / 1000)));
  return [...byDay].map(
    ([day, ofDay]) => html`<h2 class="day">${day}</h2>
${changeTable(`Changes on ${day}`, ofDay, { time: { name: 'Time (UTC)', cell: ({ stamp }) => clockTime(stamp) }, search })}`,
  );
}
