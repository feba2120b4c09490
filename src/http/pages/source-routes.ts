import * as z from 'zod';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import { type SummarizedSet, summarize } from '../../sets/summarized-sets.ts';
import { pageOperation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { shownOrganizations } from '../response/shown-organizations.ts';
import { shownSets } from '../response/shown-sets.ts';
import { HOME_ORDERS, type HomeOrder, renderHomePage } from './home-page.ts';
import { frameOf } from './parts/frame-of.ts';
import { pageNumber, searched } from './parts/page-query.ts';
import { pagingOf } from './parts/pager.ts';
import { sendPage } from './parts/send-page.ts';
import { titleOf } from './parts/set-frame.ts';
import { Sparklines } from './sparklines.ts';
import { statusOf } from './status-of.ts';
import { renderStatusPage } from './status-page.ts';

const SETS_PER_PAGE = 50;

const order = z
  .string()
  .optional()
  .transform((text) => HOME_ORDERS.find((one) => one === text) ?? 'name')
  .meta({ description: '`changed`: the sets that changed last come first; any other text orders by name.' });

/** The pages of the source as a whole. */
export function sourceRoutes(app: ServedApp): readonly Route[] {
  const sparklines = new Sparklines(app.activity);
  return [
    get('/', {
      action: 'read-source',
      ...pageOperation('homePage', 'The source and its sets'),
      query: z.object({ page: pageNumber, q: searched, order }),
      async handle(request, response, { page, q, order }) {
        const { sets, gauge, metrics } = app;
        const [all, seen] = await Promise.all([sets.list(), shownSets(app, response)]);
        const found = search(seen, q);
        const paging = pagingOf(page, found.length, SETS_PER_PAGE);
        const [frame, shown, totals] = await Promise.all([
          frameOf(app, request, response),
          onPage(app, found, { order, first: (paging.page - 1) * SETS_PER_PAGE }),
          gauge.totals([...sets.knownRemoved(), ...leftOut(all, seen)]),
        ]);
        const states = new Map(
          shown.flatMap(({ set: { id } }) => {
            const state = metrics.scans.stateOf(id);
            return state === undefined ? [] : [[id, state] as const];
          }),
        );
        const hasOrganizations = (await shownOrganizations(app.records.organizations, response)).length > 0;
        const counts = { sets: seen.length, found: found.length, totals };
        const lines = await sparklines.of(shown);
        sendPage(
          response,
          renderHomePage({ frame, shown, hasOrganizations, ...counts, paging, q, order, sparklines: lines, states }),
        );
      },
    }),

    get('/status', {
      action: 'read-source',
      ...pageOperation(
        'statusPage',
        'How the source is: its store, the sets that are being read, and figures of the server for those who may see them',
      ),
      async handle(request, response) {
        const frame = await frameOf(app, request, response);
        sendPage(response, renderStatusPage({ frame, ...(await statusOf(app, response, frame.viewer)) }));
      },
    }),
  ];
}

/** The sets of a page. For the order by last change, the summaries of all sets are read. */
async function onPage(
  { index }: Pick<ServedApp, 'index'>,
  sets: readonly ResourceSet[],
  { order, first }: { readonly order: HomeOrder; readonly first: number },
): Promise<readonly SummarizedSet[]> {
  const ofPage = <Item>(all: readonly Item[]) => all.slice(first, first + SETS_PER_PAGE);
  if (order === 'name') return summarize(index, ofPage([...sets].sort(byName)));
  const all = await summarize(index, sets);
  return ofPage([...all].sort((a, b) => b.summary.lastChange - a.summary.lastChange || byName(a.set, b.set)));
}

const NAMES = new Intl.Collator('en', { numeric: true });

function byName(a: ResourceSet, b: ResourceSet): number {
  return NAMES.compare(titleOf(a), titleOf(b)) || (a.slug < b.slug ? -1 : 1);
}

/** Sets whose existence a client must not learn of. */
function leftOut(all: readonly ResourceSet[], seen: readonly ResourceSet[]): readonly SetId[] {
  if (seen.length === all.length) return [];
  const ids = new Set(seen.map(({ id }) => id));
  return all.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
}

/** Sets whose title or id contains a text, ignoring case. */
function search(sets: readonly ResourceSet[], q: string): readonly ResourceSet[] {
  if (q === '') return sets;
  const text = q.toLowerCase();
  return sets.filter(({ slug, title }) => slug.includes(text) || title?.toLowerCase().includes(text));
}
