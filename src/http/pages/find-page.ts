import type { Resource } from '../../core/resource.ts';
import { type Html, html } from './parts/html.ts';
import { onward, queryOf } from './parts/pager.ts';
import { lengthOf, resourceLink } from './parts/resource-parts.ts';
import { searchForm } from './parts/search-form.ts';
import { readingNotice, renderSetFrame, type SetFrame } from './parts/set-frame.ts';
import { type Column, stackingTable } from './parts/tables.ts';
import { formatTime, timeElement } from './parts/words.ts';

export interface FindPage extends SetFrame {
  /** What was searched for; empty to see them all. */
  readonly q: string;
  /** The key after which these come; undefined for the first ones. */
  readonly after: string | undefined;
  readonly resources: readonly Resource[];
  /** The key up to which the set was searched; undefined when that was all. */
  readonly next: string | undefined;
}

/** The resources of a set, or those with some text in their name. */
export function renderFindPage(page: FindPage): string {
  const { set, q, resources, frame } = page;
  const main = html`${readingNotice(set)}
${searchForm({ label: 'Search the resources by a part of their name; begin with / for the beginning of a path', action: './find', value: q })}
${resources.length === 0 ? html`<p class="quiet" role="status">${nothing(page)}</p>` : stackingTable(q === '' ? 'Resources' : `Resources with ${q}`, resources, columns(frame.now))}
${steps(page)}
<p class="more"><a href="${frame.top}api/sets/${set.slug}/resources.csv" download>All resources as CSV</a></p>`;
  return renderSetFrame(page, main);
}

function nothing({ q, next, after }: FindPage): string {
  if (next !== undefined) return 'Nothing so far. There are many resources, and not all have been searched.';
  if (q !== '') return after === undefined ? `No resource has “${q}” in its name.` : 'There are no more.';
  return 'There is no resource.';
}

function steps({ q, after, next, resources }: FindPage): Html | undefined {
  const onwards = resources.length === 0 ? 'Search on' : 'Next';
  return onward(
    after === undefined ? undefined : { name: 'From the beginning', href: `./find${queryOf({ q })}` },
    next === undefined ? undefined : { name: onwards, href: queryOf({ q, after: next }) },
  );
}

function columns(now: number): readonly Column<Resource>[] {
  return [
    { name: 'Resource', style: 'name', isHead: true, cell: ({ key }) => resourceLink(key) },
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
