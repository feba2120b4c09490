import type { TidemarkError } from '../../core/errors.ts';
import type { Resource } from '../../core/resource.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { FoundOfSet } from './find-resources.ts';
import { type Html, html } from './parts/html.ts';
import { markedName, type NameSearch, parseNameSearch } from './parts/name-search.ts';
import { onward, queryOf } from './parts/pager.ts';
import { lengthOf, nameOf, resourceLink } from './parts/resource-parts.ts';
import { searchForm, wrongQueryNotice } from './parts/search-form.ts';
import { emptySet, readingNotice, renderSetFrame, type SetFrame } from './parts/set-frame.ts';
import { type Column, stackingTable } from './parts/tables.ts';
import { counted, formatTime, timeElement } from './parts/words.ts';

interface FindPage extends SetFrame, FoundOfSet {
  /** The search text; empty to show all resources. */
  readonly q: string;
  /** The key after which these follow; undefined for the first ones. */
  readonly after: string | undefined;
  /** Number of resources of the set. */
  readonly total: number;
}

/** The resources of a set, or those whose names contain a text. */
export function renderFindPage(page: FindPage): string {
  const { set, q, resources, frame } = page;
  const main = html`${readingNotice(set)}
${form(q)}
<p class="quiet" role="status">${resources.length === 0 ? nothing(page) : howMany(page)}</p>
${resources.length > 0 && stackingTable(q === '' ? 'Resources' : `Resources with ${q}`, resources, columns(frame.now, parseNameSearch(q)))}
${steps(page)}
<p class="more"><a href="${frame.top}api/sets/${set.slug}/resources.csv" download>All resources as CSV</a></p>`;
  return renderSetFrame(page, main);
}

/** The form with an invalid search, and the error. */
export function renderWrongSearch(page: SetFrame, q: string, problem: TidemarkError): string {
  return renderSetFrame(page, html`${form(q, true)}\n${wrongQueryNotice(problem)}`);
}

function form(q: string, isWrong = false): Html {
  const label = 'Search the resources by a part of their name';
  return searchForm({ label, hint: HINT, action: './find', value: q, isWrong });
}

const HINT = html`<code>*</code> means any text, as in <code>1850*.tif</code>. Begin with <code>/</code> for the beginning of a path.`;

function howMany({ q, after, count, mayBeMore, resources, total }: FindPage): string {
  if (q === '')
    return after === undefined
      ? counted(total, 'resource')
      : `${counted(resources.length, 'resource')} of ${formatCount(total)}`;
  const number = `${mayBeMore ? 'At least ' : ''}${counted(count, 'resource')} with “${q}”`;
  const where = after === undefined ? '' : ' from here on';
  return `${number}${where}${count > resources.length ? `, ${formatCount(resources.length)} of them here` : ''}`;
}

function nothing({ q, next, after, set, frame }: FindPage): Html | string {
  if (next !== undefined) return 'Nothing so far. There are many resources, and not all have been searched.';
  if (q !== '' && after === undefined) {
    return html`No resource has “${q}” in its name. Try a shorter text, or see <a href="./find">all resources</a>.`;
  }
  if (after !== undefined) return 'There are no more.';
  if (!set.ready) return 'No resource has been read yet.';
  return emptySet(set, frame);
}

function steps({ q, after, next, resources }: FindPage): Html | undefined {
  const onwards = resources.length === 0 ? 'Search on' : 'Next';
  return onward(
    after === undefined ? undefined : { name: 'From the beginning', href: `./find${queryOf({ q })}` },
    next === undefined ? undefined : { name: onwards, href: queryOf({ q, after: next }) },
  );
}

function columns(now: number, search: NameSearch): readonly Column<Resource>[] {
  return [
    {
      name: 'Resource',
      style: 'name',
      isHead: true,
      cell: ({ key }) => resourceLink(key, markedName(nameOf(key), search)),
    },
    { name: 'Type', style: 'short wide', cell: ({ state }) => state.mime },
    { name: 'Size', style: 'number', cell: ({ state }) => lengthOf(state.length) },
    {
      name: 'Last modified',
      style: 'short wide',
      cell: ({ state }) => (state.lastmod === undefined ? undefined : formatTime(state.lastmod * 1000)),
    },
    { name: 'Last changed here', style: 'short', cell: ({ stamp }) => timeElement(stamp, now) },
  ];
}
