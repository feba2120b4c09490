import * as z from 'zod';
import type { ChangeKind } from '../../core/change.ts';
import { CHANGE_KINDS, type Change } from '../../core/change.ts';
import type { TidemarkError } from '../../core/errors.ts';
import { holder, parseKeySearch } from '../../core/key-search.ts';
import { traitsOf } from '../../core/origin.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { LatestRange } from '../../stores/set-statistics.ts';
import { setOf } from '../request/admitted.ts';
import { filteredChanges } from '../request/browse.ts';
import { pageOperation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { type Html, html } from './parts/html.ts';
import { type NameSearch, parseNameSearch, placesIn } from './parts/name-search.ts';
import { before, beginningOf, changeKind, day, endOf, given, searchedName } from './parts/page-query.ts';
import { onward, queryOf } from './parts/pager.ts';
import { changeTable, nameOf } from './parts/resource-parts.ts';
import { wrongQueryNotice } from './parts/search-form.ts';
import { sendPage } from './parts/send-page.ts';
import { feedLink, readingNotice, renderSetFrame, type SetFrame, setFrameOf } from './parts/set-frame.ts';
import { clockTime, formatDate } from './parts/words.ts';

const CHANGES_PER_PAGE = 100;

/** Changes, filtered by key, kind and time. */
export function changesRoute(app: ServedApp): Route {
  const { index } = app;
  return get('/sets/:set/changes', {
    action: 'read-state',
    ...pageOperation(
      'changesPage',
      'The changes of a set, newest first: all, or those of a kind, of some days, or with some text in their name',
    ),
    query: z
      .object({ q: searchedName, kind: changeKind, from: day, until: day, before })
      .refine(({ from = '', until = from }) => from <= until, { path: ['until'], error: 'is earlier than from' }),
    async handle(request, response, { before, ...filter }) {
      const set = setOf(response);
      const range = {
        ...rangeOf(filter, { before, epochStart: set.epochStart }),
        fits: fitsOf(filter),
        limit: CHANGES_PER_PAGE,
      };
      const { changes, next } = await filteredChanges(set, range, (asked) => index.latest(set.id, asked));
      const page = await setFrameOf(app, { request, response }, 'changes');
      const shown = { filter, changes, older: next, isLatest: before === undefined };
      sendPage(response, renderChangesPage({ ...page, ...shown }));
    },
    async showWrong(request, response, problem) {
      const page = await setFrameOf(app, { request, response }, 'changes');
      const kind = CHANGE_KINDS.find((one) => one === request.query.kind);
      const filter = { q: given(request, 'q'), kind, from: given(request, 'from'), until: given(request, 'until') };
      sendPage(response.vary('Accept'), renderWrongFilter(page, filter, problem), 400);
    },
  });
}

interface ChangesPage extends SetFrame {
  readonly filter: ChangeFilter;
  /** Newest first. */
  readonly changes: readonly Change[];
  /** Whether there are no newer ones, and the boundary below which older ones continue, if there may be any. */
  readonly isLatest: boolean;
  readonly older: number | undefined;
}

/** The changes of a set, back to the beginning of its epoch. */
function renderChangesPage(page: ChangesPage): string {
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
function renderWrongFilter(page: SetFrame, filter: ChangeFilter, problem: TidemarkError): string {
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

/** The filter of a page of changes. */
interface ChangeFilter {
  /** A text in the name, as in a search for resources; empty for all. */
  readonly q: string;
  readonly kind?: ChangeKind | undefined;
  /** The first and the last day, in UTC. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

function isFiltered({ q, kind, from, until }: ChangeFilter): boolean {
  return q !== '' || kind !== undefined || from !== undefined || until !== undefined;
}

interface Bounds {
  readonly before: Stamp | undefined;
  /** URIs of earlier changes may have been others, and clients cannot follow those changes. */
  readonly epochStart: Stamp;
}

/** The range of the given days, within the current epoch and below a boundary. */
export function rangeOf({ from, until }: ChangeFilter, { before, epochStart }: Bounds): Omit<LatestRange, 'limit'> {
  return {
    after: from === undefined ? epochStart : Math.max(beginningOf(from), epochStart),
    before: until === undefined ? before : Math.min(endOf(until), before ?? Number.POSITIVE_INFINITY),
  };
}

/** Tests whether a change has the kind and contains the text; undefined when there is nothing to test. */
function fitsOf({ q, kind }: ChangeFilter): ((change: Change) => boolean) | undefined {
  if (q === '' && kind === undefined) return undefined;
  const hasText = q === '' ? () => true : keyTest(q);
  return (change) => (kind === undefined || change.kind === kind) && hasText(change.key);
}

function keyTest(q: string): (key: string) => boolean {
  const names = parseNameSearch(q);
  if (!names.hasMore) return storedTest(names.stored);
  const hasStored = storedTest(names.stored);
  return (key) => hasStored(key) && placesIn(nameOf(key), names) !== undefined;
}

function storedTest(text: string): (key: string) => boolean {
  const search = parseKeySearch(text);
  if (search.where === 'anywhere') return holder(search.texts);
  return (key) => search.beginnings.some((beginning) => key.startsWith(beginning));
}
