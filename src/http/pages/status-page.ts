import type { ResourceSet } from '../../core/resource-set.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { LiveFigures } from '../../observe/metrics/live-server.ts';
import type { Frame } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { renderPage } from './parts/layout.ts';
import { titleOf } from './parts/set-frame.ts';
import { type Column, facts, table } from './parts/tables.ts';
import { counted, formatDuration, formatTime, timeElement } from './parts/words.ts';
import type { Status } from './status-of.ts';

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

function verdict({ storeAnswered, figures, reading, troubled }: StatusPage): Html {
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
  return html`<div class="notice good" role="status"><p><strong>All is well.</strong> The store answers, and every set is complete.</p></div>`;
}

function storeAnswer({ storeAnswered, store }: StatusPage): Html {
  const answer =
    storeAnswered === undefined ? 'does not answer' : `answered within ${formatDuration(Math.ceil(storeAnswered))}`;
  return html`${answer}${store !== undefined && html` <span class="quiet">(${store})</span>`}`;
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
