import * as z from 'zod';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { SyncState } from '../../observe/metrics/scan-metrics.ts';
import { documentUri } from '../../publish/documents.ts';
import { type SummarizedSet, summarize } from '../../sets/summarized-sets.ts';
import type { StoreTotals } from '../../stores/store-gauge.ts';
import { pageOperation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { shownCollections } from '../response/shown-collections.ts';
import { shownOrganizations } from '../response/shown-organizations.ts';
import { shownSets } from '../response/shown-sets.ts';
import { type Frame, frameOf, linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { renderPage } from './parts/layout.ts';
import { pageNumber, searched } from './parts/page-query.ts';
import { type Paging, pager, pagingOf, queryOf } from './parts/pager.ts';
import { searchForm } from './parts/search-form.ts';
import { sendPage } from './parts/send-page.ts';
import { titleOf } from './parts/set-frame.ts';
import { sparklineDrawing } from './parts/sparkline-drawing.ts';
import { type Column, figures, stackingTable } from './parts/tables.ts';
import { counted, timeElement } from './parts/words.ts';
import type { Sparkline } from './sparklines.ts';
import { Sparklines } from './sparklines.ts';
import { renderStatusPage, statusOf } from './status-page.ts';

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
        const hasCollections = (await shownCollections(app.records, response)).length > 0;
        const hasOrganizations = (await shownOrganizations(app.records.organizations, response)).length > 0;
        const counts = { sets: seen.length, found: found.length, totals };
        const lines = await sparklines.of(shown);
        sendPage(
          response,
          renderHomePage({
            frame,
            shown,
            hasOrganizations,
            hasCollections,
            ...counts,
            paging,
            q,
            order,
            sparklines: lines,
            states,
          }),
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

interface HomePage {
  readonly frame: Frame;
  /** The sets of this page. */
  readonly shown: readonly SummarizedSet[];
  /** Number of all sets, and of those that match the search. */
  readonly sets: number;
  readonly found: number;
  /** The totals of all sets. */
  readonly totals: StoreTotals;
  readonly paging: Paging;
  /** The search text; empty without a search. */
  readonly q: string;
  readonly order: HomeOrder;
  /** By the id of a set; only of sets that were counted in time. */
  readonly sparklines: ReadonlyMap<SetId, Sparkline>;
  readonly states: ReadonlyMap<SetId, SyncState>;
  /** Whether there are organizations that the reader may read. */
  readonly hasOrganizations: boolean;
  /** Whether there are collections that the reader may read. */
  readonly hasCollections: boolean;
}

const HOME_ORDERS = ['name', 'changed'] as const;
type HomeOrder = (typeof HOME_ORDERS)[number];

/** The page has a search when there are more sets than this. */
const FEW = 12;

/** The source and its sets. */
function renderHomePage(home: HomePage): string {
  const { frame, sets, totals, shown } = home;
  const sourceDescription = documentUri(frame.baseUrl, { kind: 'sourceDescription' });
  const href = linkTo(sourceDescription, frame);
  const main = html`<h1>Resource sets</h1>
<p class="lead">Collections to mirror, and to keep in sync as they change, with any client of
<a href="https://www.openarchives.org/rs/">ResourceSync</a>. A client begins with the <a href="${href}">Source Description</a>.</p>
${
  sets === 0
    ? nothingYet(frame)
    : html`${figures([
        [sets === 1 ? 'set' : 'sets', formatCount(sets)],
        [totals.resources === 1 ? 'resource' : 'resources', formatCount(totals.resources)],
        ['changes recorded', formatCount(totals.changes)],
      ])}
${(sets > FEW || home.q !== '') && searchForm({ label: 'Search the sets by title or id', action: frame.top, value: home.q })}
${sets > 1 && orders(home)}
${found(home)}`
}
${home.hasOrganizations && html`<p class="more"><a href="./organizations/">Organizations that deliver files</a></p>`}
${home.hasCollections && html`<p class="more"><a href="./collections/">Collections that are harvested</a></p>`}
${frame.viewer.isAdministrator && html`<p class="more"><a href="./add-set">Add a set</a></p>`}`;
  return renderPage({
    frame,
    title: 'Resource sets',
    main,
    part: 'sets',
    again: shown.some(({ set }) => !set.ready) ? 5 : undefined,
  });
}

/** Links rather than a form: each order has an address. */
function orders({ order, q }: HomePage): Html {
  const link = (its: HomeOrder, text: string) =>
    its === order
      ? html`<li><span aria-current="true">${text}</span></li>`
      : html`<li><a href="${queryOf({ q, order: its === 'name' ? undefined : its })}">${text}</a></li>`;
  return html`<nav class="orders" aria-label="Order"><ul><li class="quiet">Order by</li>${link('name', 'name')}${link('changed', 'last change')}</ul></nav>`;
}

function found(home: HomePage): Html {
  const { shown, found, paging, q, order } = home;
  const summary =
    q !== '' &&
    html`<p class="quiet" role="status">${counted(found, 'set')} with “${q}”${found === 0 && html`. Try a shorter text, or see <a href="./">all sets</a>.`}</p>`;
  if (shown.length === 0) return html`${summary}`;
  const query = { q, order: order === 'name' ? undefined : order };
  return html`${summary}${stackingTable('Resource sets', shown, columns(home))}${pager(paging, query)}`;
}

function columns({ frame: { now }, sparklines, states }: HomePage): readonly Column<SummarizedSet>[] {
  return [
    { name: 'Set', style: 'name title', isHead: true, cell: ({ set }) => setName(set) },
    { name: 'State', style: 'short', cell: ({ set }) => stateOf(set, states.get(set.id)) },
    { name: 'Resources', style: 'number', cell: ({ summary }) => formatCount(summary.resources) },
    { name: 'Changes', style: 'number wide', cell: ({ summary }) => formatCount(summary.changes) },
    {
      name: 'Last 30 days',
      style: 'short wide',
      cell: ({ set }) => {
        const counts = sparklines.get(set.id);
        return counts && sparklineDrawing(counts);
      },
    },
    {
      name: 'Last changed',
      style: 'short',
      cell: ({ summary }) => (summary.lastChange === 0 ? 'never' : timeElement(summary.lastChange, now)),
    },
  ];
}

function setName(set: SummarizedSet['set']): Html {
  return html`<a href="./sets/${set.slug}/">${titleOf(set)}</a> ${set.title !== undefined && html`<span class="id">${set.slug}</span>`} ${set.private === true && html`<span class="state">private</span>`}`;
}

/** Posted events are published at once. For a set with a source, only the process that syncs it knows the state. */
function stateOf({ ready, origin }: SummarizedSet['set'], synced: SyncState | undefined): Html | undefined {
  const state =
    !ready && synced !== 'error' ? 'being read' : traitsOf(origin).source === undefined ? 'in sync' : synced;
  if (state === undefined) return undefined;
  return html`<span class="state ${STYLES[state]}" title="${MEANINGS[state]}">${state}</span>`;
}

const STYLES = {
  'in sync': 'live',
  behind: 'reading',
  'being read': 'reading',
  error: 'failing',
  incomplete: 'failing',
} as const;
const MEANINGS = {
  'in sync': 'Everything that is known of its source is published.',
  behind: 'It is being compared with its source.',
  'being read': 'It is being read for the first time.',
  incomplete: 'Some of its entries could not be read: an administrator sees which on its page.',
  error: 'Its source does not answer: nothing is deleted because of that. The log of the server says why.',
} as const;

function nothingYet({ viewer }: Frame): Html {
  return html`<div class="notice"><p>There is no set yet. Publish a folder with <code>tidemark publish FOLDER</code>, or make a
set that changes are posted to with <code>tidemark sets add ID --url-prefix URL</code>${viewer.isAdministrator && html`, or with <a href="./add-set">a form</a>`}. <code>tidemark demo</code> publishes a sample collection that changes.</p></div>`;
}
