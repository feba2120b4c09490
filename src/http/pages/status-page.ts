import type { Response } from 'express';
import { VERSION } from '../../config/version.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { LiveFigures } from '../../observe/metrics/live-server.ts';
import { type SummarizedSet, summarize } from '../../sets/summarized-sets.ts';
import { describeStore } from '../../stores/locations.ts';
import type { ServedApp, ServedBackup } from '../request/served-app.ts';
import { shownFigures } from '../response/shown-figures.ts';
import { shownSets } from '../response/shown-sets.ts';
import type { Frame, Viewer } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { renderPage } from './parts/layout.ts';
import { titleOf } from './parts/set-frame.ts';
import { type Column, facts, table } from './parts/tables.ts';
import { counted, formatDuration, formatTime, timeElement, timeOf } from './parts/words.ts';

interface StatusPage extends Status {
  readonly frame: Frame;
}

/** The state of the source as a page. */
export function renderStatusPage(page: StatusPage): string {
  const { frame, reading, figures } = page;
  const main = html`<h1>Status</h1>
${verdict(page)}
${facts([
  ['Store', storeAnswer(page)],
  [
    'Sets',
    page.storeAnswered === undefined
      ? undefined
      : `${formatCount(page.ready)} complete, ${formatCount(reading.total)} being read`,
  ],
  ...(figures === undefined ? [] : ofServer(figures)),
  ...(page.backup === undefined ? [] : [['Last backup', lastBackup(page.backup, frame.now)] as const]),
  ['Version', page.version],
])}
${page.troubled.length > 0 && notInSync(page)}
${reading.sets.length > 0 && beingRead(page)}
${
  figures !== undefined &&
  html`<h2>Since the server was started</h2>${facts(sinceStart(figures))}
<p class="more">For tools: <a href="./metrics">metrics</a>, <a href="./readyz">readiness</a>, <a href="./healthz">liveness</a>.</p>`
}
${frame.viewer.isAdministrator && html`<p class="more"><a href="./validate">Validate any ResourceSync source</a></p>`}`;
  return renderPage({ frame, title: 'Status', main, part: 'status', again: 10 });
}

function verdict({ storeAnswered, figures, reading, troubled, backup }: StatusPage): Html {
  if (storeAnswered === undefined) {
    return html`<div class="notice bad" role="status"><p><strong>The store does not answer.</strong> Nothing can be posted, and only what was published before can be read.</p></div>`;
  }
  if (figures?.artifactStore === 'unavailable') {
    return html`<div class="notice bad" role="status"><p><strong>The artifact store does not answer.</strong> Uploads, dumps, kept versions and the bytes of records are unavailable; lists and posting are not affected.</p></div>`;
  }
  if (troubled.length > 0) {
    return html`<div class="notice bad" role="status"><p><strong>${counted(troubled.length, 'set is', 'sets are')} not in sync, because the source cannot be read.</strong> No resource is deleted because of that.</p></div>`;
  }
  if (reading.total > 0) {
    return html`<div class="notice" role="status"><p><strong>${counted(reading.total, 'set is', 'sets are')} being read for the first time.</strong> The others are complete.</p></div>`;
  }
  if (backup?.problem !== undefined) {
    return html`<div class="notice bad" role="status"><p><strong>The last backup failed.</strong> Older ones are kept; everything else works.</p></div>`;
  }
  return html`<div class="notice good" role="status"><p><strong>All is well.</strong> The store answers, and every set is complete.</p></div>`;
}

function storeAnswer({ storeAnswered, store }: StatusPage): Html {
  const answer =
    storeAnswered === undefined ? 'does not answer' : `answered within ${formatDuration(Math.ceil(storeAnswered))}`;
  return html`${answer}${store !== undefined && html` <span class="quiet">(${store})</span>`}`;
}

function lastBackup({ folder, last, problem }: ServedBackup, now: number): Html {
  const good =
    last === undefined
      ? html`none in ${folder} yet`
      : html`${timeOf(last.made, now)}, ${formatBytes(last.bytes)} <span class="quiet">(${last.file})</span>`;
  return html`${good}${problem !== undefined && html`<br>${timeOf(problem.at, now)}: failed, ${problem.error}`}`;
}

function ofServer({ store, cache, scanning, pages }: LiveFigures) {
  return [
    ['Behind the log', store === undefined ? undefined : lag(store)],
    [
      'Last change',
      store === undefined || store.progress.logged === 0 ? undefined : formatTime(store.progress.logged / 1000),
    ],
    [
      'Pages of lists',
      `${formatCount(pages.current)} rendered in their current version, ${formatCount(pages.outOfDate)} when they are requested`,
    ],
    [
      'Rendered documents',
      `${formatCount(cache.documents)}, ${formatBytes(cache.bytes)} of at most ${formatBytes(cache.mostBytes)}`,
    ],
    ['Scanning', scanning.length === 0 ? 'nothing just now' : html`<ul>${scanning.map(scan)}</ul>`],
  ] as const;
}

function lag({ progress: { waiting, waitingSince } }: NonNullable<LiveFigures['store']>): string {
  if (waiting === 0 || waitingSince === undefined) return 'not at all';
  return `${counted(waiting, 'commit')}, for ${formatDuration(Math.max(0, Date.now() - waitingSince))}`;
}

function scan({ set, files, hashed, bytes }: LiveFigures['scanning'][number]): Html {
  return html`<li>${set}: ${counted(files, 'file')} checked, ${formatCount(hashed)} read (${formatBytes(bytes)})</li>`;
}

function sinceStart({ uptimeSeconds, requests, events, cache }: LiveFigures) {
  const asked = cache.hits + cache.misses;
  return [
    ['Runs for', formatDuration(uptimeSeconds * 1000)],
    [
      'Requests',
      `${formatCount(requests.answered)}, ${requests.perSecond.toFixed(1)} a second, ${formatCount(requests.inFlight)} under way`,
    ],
    [
      'Events',
      `${formatCount(events.applied)} applied, ${formatCount(events.unchanged)} unchanged, ${formatCount(events.rejected)} rejected`,
    ],
    [
      'Documents',
      asked === 0
        ? 'none asked for yet'
        : `${Math.round((cache.hits / asked) * 100)} % of ${formatCount(asked)} were in the cache`,
    ],
  ] as const;
}

function beingRead({ reading: { sets, total } }: StatusPage): Html {
  const left = total - sets.length;
  return html`<h2>Being read for the first time</h2>
${table('Sets that are being read', sets, [
  {
    name: 'Set',
    style: 'name title',
    isHead: true,
    cell: ({ set }) => html`<a href="./sets/${set.slug}/">${titleOf(set)}</a>`,
  },
  { name: 'Resources so far', style: 'number', cell: ({ summary }) => formatCount(summary.resources) },
])}
${left > 0 && html`<p class="quiet">and ${formatCount(left)} more</p>`}`;
}

/** Only administrators see the reason: it may name files and hosts. */
function notInSync({ troubled, frame: { viewer, now } }: StatusPage): Html {
  const columns: Column<ResourceSet>[] = [
    {
      name: 'Set',
      style: 'name title',
      isHead: true,
      cell: (set) => html`<a href="./sets/${set.slug}/">${titleOf(set)}</a>`,
    },
    { name: 'Since', style: 'short', cell: ({ trouble }) => timeElement(trouble!.since * 1000, now) },
  ];
  if (viewer.isAdministrator) columns.push({ name: 'Why', cell: ({ trouble }) => trouble!.problem });
  return html`<h2>Not in sync</h2>
${table('Sets that are not in sync with their sources', troubled, columns)}`;
}

/** Most sets that are listed; of more, only the number is shown. */
const NAMED_SETS = 100;
/** Milliseconds that the store may take to answer. */
const STORE_TIMEOUT_MS = 2_000;

/** The state of the source. */
export interface Status {
  readonly version: string;
  /** The response time of the store in milliseconds; undefined when it did not answer. */
  readonly storeAnswered: number | undefined;
  /** The sets that are being read for the first time, the first of them with their figures. */
  readonly reading: { readonly total: number; readonly sets: readonly SummarizedSet[] };
  readonly ready: number;
  /** The sets that cannot be synced with their sources at present. */
  readonly troubled: readonly ResourceSet[];
  /** Only for viewers that may see them. */
  readonly figures: LiveFigures | undefined;
  /** The store, for an administrator: it may name machines. */
  readonly store: string | undefined;
  /** Likewise. */
  readonly backup: ServedBackup | undefined;
}

type StoreStatus = Pick<Status, 'storeAnswered' | 'reading' | 'ready' | 'troubled'>;
const NO_ANSWER: StoreStatus = { storeAnswered: undefined, reading: { total: 0, sets: [] }, ready: 0, troubled: [] };

export async function statusOf(app: ServedApp, response: Response, viewer: Viewer): Promise<Status> {
  const { configuration } = app;
  const [store, figures, backup] = await Promise.all([
    // The page must be shown soon, whatever is wrong with the store.
    withTimeout(askStore(app, response), STORE_TIMEOUT_MS, () => NO_ANSWER).catch(() => NO_ANSWER),
    viewer.seesFigures ? shownFigures(app, response) : undefined,
    viewer.isAdministrator
      ? withTimeout(app.backup.state(), STORE_TIMEOUT_MS, () => undefined).catch(() => undefined)
      : undefined,
  ]);
  return {
    version: VERSION,
    ...store,
    figures,
    backup,
    store: viewer.isAdministrator ? describeStore(configuration.store) : undefined,
  };
}

async function askStore(app: ServedApp, response: Response): Promise<StoreStatus> {
  const { index } = app;
  const began = performance.now();
  await index.watermark();
  const storeAnswered = performance.now() - began;
  const sets = await shownSets(app, response);
  const reading = sets.filter(({ ready }) => !ready);
  const named = await summarize(index, reading.slice(0, NAMED_SETS));
  const troubled = sets.filter(({ trouble }) => trouble !== undefined);
  const ready = sets.length - reading.length;
  return { storeAnswered, reading: { total: reading.length, sets: named }, ready, troubled };
}
