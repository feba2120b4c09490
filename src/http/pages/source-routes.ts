import * as z from 'zod';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import { summarize } from '../../sets/summarized-sets.ts';
import { page as htmlPage, type Operation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { shownSets } from '../response/shown-sets.ts';
import { renderHomePage } from './home-page.ts';
import { frameOf } from './parts/frame-of.ts';
import { pageNumber, searched } from './parts/page-query.ts';
import { pagingOf } from './parts/pager.ts';
import { sendPage } from './parts/send-page.ts';
import { statusOf } from './status-of.ts';
import { renderStatusPage } from './status-page.ts';

const SETS_PER_PAGE = 50;

const HOME = {
  id: 'homePage',
  tag: 'pages',
  summary: 'The source and its sets',
  query: z.object({ page: pageNumber, q: searched }),
  answers: [htmlPage('The page.')],
} satisfies Operation;

const STATUS = {
  id: 'statusPage',
  tag: 'pages',
  summary:
    'How the source is: its store, the sets that are being read, and figures of the server for those who may see them',
  answers: [htmlPage('The page.')],
} satisfies Operation;

/** The pages of the source as a whole. */
export function sourceRoutes(app: ServedApp): readonly Route[] {
  return [
    get('/', {
      action: 'read-source',
      operation: HOME,
      async handle(request, response, { page, q }) {
        const { index, sets, gauge } = app;
        const [all, seen] = await Promise.all([sets.list(), shownSets(app, response)]);
        const found = search(seen, q);
        const paging = pagingOf(page, found.length, SETS_PER_PAGE);
        const first = (paging.page - 1) * SETS_PER_PAGE;
        const [frame, onPage, totals] = await Promise.all([
          frameOf(app, request, response),
          summarize(index, found.slice(first, first + SETS_PER_PAGE)),
          gauge.totals([...sets.knownRemoved(), ...leftOut(all, seen)]),
        ]);
        const counts = { sets: seen.length, found: found.length, totals };
        sendPage(response, renderHomePage({ frame, shown: onPage, ...counts, paging, q }));
      },
    }),

    get('/status', {
      action: 'read-source',
      operation: STATUS,
      async handle(request, response) {
        const frame = await frameOf(app, request, response);
        sendPage(response, renderStatusPage({ frame, ...(await statusOf(app, response, frame.viewer)) }));
      },
    }),
  ];
}

/** Sets whose existence a client may not know of. */
function leftOut(all: readonly ResourceSet[], seen: readonly ResourceSet[]): readonly SetId[] {
  if (seen.length === all.length) return [];
  const ids = new Set(seen.map(({ id }) => id));
  return all.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
}

/** Sets with a text in their title or id, whichever the case of its letters. */
function search(sets: readonly ResourceSet[], q: string): readonly ResourceSet[] {
  if (q === '') return sets;
  const text = q.toLowerCase();
  return sets.filter(({ slug, title }) => slug.includes(text) || title?.toLowerCase().includes(text));
}
