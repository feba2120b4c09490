import * as z from 'zod';
import type { TidemarkError } from '../../core/errors.ts';
import type { Resource } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import { setOf } from '../request/admitted.ts';
import { resourcesAfter } from '../request/browse.ts';
import { pageOperation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { take } from '../request/take.ts';
import { type Html, html } from './parts/html.ts';
import { markedName, type NameSearch, parseNameSearch, placesIn } from './parts/name-search.ts';
import { given, searchedName } from './parts/page-query.ts';
import { onward, queryOf } from './parts/pager.ts';
import { lengthOf, nameOf, resourceLink } from './parts/resource-parts.ts';
import { searchForm, wrongQueryNotice } from './parts/search-form.ts';
import { sendPage } from './parts/send-page.ts';
import { emptySet, readingNotice, renderSetFrame, type SetFrame, setFrameOf } from './parts/set-frame.ts';
import { type Column, stackingTable } from './parts/tables.ts';
import { counted, formatTime, timeElement } from './parts/words.ts';

const RESOURCES_PER_PAGE = 100;

/** Resources by a part of their URI. */
export function findRoute(app: ServedApp): Route {
  const { index } = app;
  return get('/sets/:set/find', {
    action: 'read-state',
    ...pageOperation('findPage', 'The resources of a set, or those with some text in their name'),
    query: z.object({ q: searchedName, after: z.string().optional() }),
    async handle(request, response, { q, after }) {
      const set = setOf(response);
      const [found, { resources: total }] = await Promise.all([
        findResources(index, set, { q, after, limit: RESOURCES_PER_PAGE }),
        index.summary(set.id),
      ]);
      const page = await setFrameOf(app, { request, response }, 'resources');
      sendPage(response, renderFindPage({ ...page, q, after, total, ...found }));
    },
    async showWrong(request, response, problem) {
      const page = await setFrameOf(app, { request, response }, 'resources');
      sendPage(response.vary('Accept'), renderWrongSearch(page, given(request, 'q'), problem), 400);
    },
  });
}

interface FindPage extends SetFrame, FoundOfSet {
  /** The search text; empty to show all resources. */
  readonly q: string;
  /** The key after which these follow; undefined for the first ones. */
  readonly after: string | undefined;
  /** Number of resources of the set. */
  readonly total: number;
}

/** The resources of a set, or those whose names contain a text. */
function renderFindPage(page: FindPage): string {
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
function renderWrongSearch(page: SetFrame, q: string, problem: TidemarkError): string {
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

/** Most resources that the store finds at once, and so the most that are counted. */
const MOST_COUNTED = 1_000;
/** Milliseconds: a page may take twice as long as one search of the store. */
const MOST_MS = 500;

interface FoundOfSet {
  readonly resources: readonly Resource[];
  /** The key up to which the set was searched; undefined when the search is complete. */
  readonly next: string | undefined;
  /** Number of resources found from here on, including those that are not shown. */
  readonly count: number;
  /** Whether there may be more than these. */
  readonly mayBeMore: boolean;
}

interface Wanted {
  readonly q: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** The resources that match a search, and their number. */
async function findResources(
  index: ResourceStates,
  set: ResourceSet,
  { q, after, limit }: Wanted,
): Promise<FoundOfSet> {
  const search = parseNameSearch(q);
  if (search.stored === '') {
    const { resources, next } = await resourcesAfter(index, set, { after, limit });
    return { resources, next, count: resources.length, mayBeMore: next !== undefined };
  }
  const { found, searchedTo } = await searched(index, set, { search, after });
  const { taken, hasMore } = await take([found], set, limit);
  return {
    resources: taken,
    next: hasMore ? taken.at(-1)!.key : searchedTo,
    count: found.length,
    mayBeMore: searchedTo !== undefined,
  };
}

/** Searches until there are enough to count, or the time is over. */
async function searched(
  index: ResourceStates,
  set: ResourceSet,
  { search, after }: { readonly search: NameSearch; readonly after: string | undefined },
) {
  const deadline = performance.now() + MOST_MS;
  const found: Resource[] = [];
  for (let from = after; ; ) {
    const { resources, next } = await index.find(set.id, { part: search.stored, after: from, limit: MOST_COUNTED });
    found.push(...(search.hasMore ? resources.filter(({ key }) => placesIn(nameOf(key), search)) : resources));
    if (next === undefined || found.length >= MOST_COUNTED || performance.now() > deadline) {
      return { found, searchedTo: next };
    }
    from = next;
  }
}
