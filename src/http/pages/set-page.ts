import type { Change } from '../../core/change.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { clockStamp } from '../../core/stamp.ts';
import { MICROSECONDS, type TimeUnit } from '../../core/time-unit.ts';
import { formatCount } from '../../lib/format-count.ts';
import { DOCUMENTS, documentUri, listedKindsOf } from '../../publish/documents.ts';
import type { SyncCursor } from '../../sources/records/artifact/sync-cursor.ts';
import type { SetSummary } from '../../stores/set-statistics.ts';
import { setOf } from '../request/admitted.ts';
import { page as htmlPage, pageOperation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { linkToCapabilityList } from '../response/resource-headers.ts';
import { changesRoute } from './changes-page.ts';
import {
  archiveSection,
  dumpSection,
  type ShownArchive,
  type ShownDump,
  shownArchive,
  shownDump,
} from './dump-sections.ts';
import { findRoute } from './find-page.ts';
import { mirrorSection } from './mirror-section.ts';
import { activityPlot, type Series } from './parts/activity-plot.ts';
import { linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { isOpen } from './parts/job-parts.ts';
import { changeTable, whenColumn } from './parts/resource-parts.ts';
import { searchForm } from './parts/search-form.ts';
import { sendPage } from './parts/send-page.ts';
import {
  emptySet,
  feedLink,
  hiddenNotice,
  readingNotice,
  renderSetFrame,
  type SetFrame,
  setFrameOf,
  troubleNotice,
  unreadNotice,
} from './parts/set-frame.ts';
import { figures, table } from './parts/tables.ts';
import { timeElement } from './parts/words.ts';
import { postingsRoute } from './postings-page.ts';
import { recordPageRoute } from './records/record-page-routes.ts';
import { resourceRoute } from './resource-page.ts';

interface SetPage extends SetFrame {
  readonly summary: SetSummary;
  /** For a set of records: the artifact that it mirrors. */
  readonly cursor: SyncCursor | undefined;
  /** The latest changes, newest first. */
  readonly changes: readonly Change[];
  readonly days: Series;
  readonly hours: Series;
  /** Undefined when the set can have no dump. */
  readonly dump: ShownDump | undefined;
  readonly archive: ShownArchive;
}

/** An overview of a set: its figures, its recent changes, and its documents. */
function renderSetPage(page: SetPage): string {
  const { set, summary, cursor, changes, days, hours, dump, archive, frame } = page;
  const { now } = frame;
  const main = html`${readingNotice(set)}
${troubleNotice(page)}
${unreadNotice(page)}
${hiddenNotice(page)}
${figures([
  [set.ready ? 'resources' : 'resources so far', formatCount(summary.resources)],
  ['changes recorded', formatCount(summary.changes)],
  ['last changed', summary.lastChange === 0 ? 'never' : timeElement(summary.lastChange, now)],
])}
${cursor && comparedWith(cursor, now)}
${searchForm({ label: 'Search the resources by a part of their name', action: './find' })}
${set.ready && mirrorSection(page)}
${
  summary.changes > 0 &&
  html`<h2>How it has changed</h2>
<div class="plots">${activityPlot(days)}${activityPlot(hours)}</div>`
}
<h2>Latest changes</h2>
${changes.length === 0 ? html`<p class="quiet">${noChanges(page)}</p>` : changeTable('Latest changes', changes, { time: whenColumn(now) })}
${summary.changes > changes.length && html`<p class="more"><a href="./changes">All changes</a> · <a href="./changes.atom">Atom feed</a></p>`}
<h2>Documents</h2>
<p class="quiet">What programs read to copy the set and to stay in sync with it. Each has a page for people as well.</p>
${documentTable(page)}
${dump !== undefined && dumpSection(page, dump)}
${archiveSection(page, archive)}`;
  const capabilityList = documentUri(frame.baseUrl, { kind: 'capabilityList', set: set.slug });
  const links = [{ rel: 'describes', href: linkTo(capabilityList, frame) }, feedLink(set)];
  return renderSetFrame(page, main, {
    links,
    newest: changes[0]?.stamp,
    again: isOpen(dump?.job) || isOpen(archive.job) ? 5 : undefined,
  });
}

function noChanges({ set, summary, frame }: SetPage): Html | string {
  if (!set.ready) return 'Nothing has been read yet.';
  if (summary.changes > 0) return 'Nothing has changed since the set was moved or renewed.';
  return emptySet(set, frame);
}

function comparedWith({ key, compared }: SyncCursor, now: number): Html {
  const when = compared === undefined ? 'being compared now' : timeElement(Date.parse(compared) * 1000, now);
  return html`<p class="quiet">Its records are those of the artifact <code>${key}</code> (${when}).</p>`;
}

function documentTable({ frame, set }: SetPage): Html {
  const documents = listedKindsOf(set).map((kind) => ({
    ...DOCUMENTS[kind].listed,
    uri: documentUri(frame.baseUrl, { kind, set: set.slug }),
  }));
  return table('Documents', documents, [
    {
      name: 'Document',
      style: 'short',
      isHead: true,
      cell: ({ title, uri }) => html`<a href="${linkTo(uri, frame)}">${title}</a>`,
    },
    { name: 'What it is for', cell: ({ purpose }) => purpose },
  ]);
}

/** Number of days and hours in the plots, including the current ones. */
const SHOWN_DAYS = 30;
const SHOWN_HOURS = 48;
const LATEST_CHANGES = 10;

/** The pages of a set. */
export function setRoutes(app: ServedApp): readonly Route[] {
  const { index, sources } = app;

  return [
    get('/sets/:set/', {
      action: 'read-documents',
      ...pageOperation('setPage', 'A set with its numbers, how it has changed, and its documents'),
      answers: [{ ...htmlPage('The page.'), headers: ['Link'] }],
      async handle(request, response) {
        const set = setOf(response);
        const page = await setFrameOf(app, { request, response }, 'overview');
        const [summary, cursor, changes, days, hours, dump, archive] = await Promise.all([
          index.summary(set.id),
          sources.records.cursorOf(set),
          index.latest(set.id, { after: set.epochStart, limit: LATEST_CHANGES }),
          seriesOf(app, set, { unit: 'day', shown: SHOWN_DAYS }),
          seriesOf(app, set, { unit: 'hour', shown: SHOWN_HOURS }),
          shownDump(app, set, page.frame.viewer.isAdministrator),
          shownArchive(app, set, page.frame.viewer.isAdministrator),
        ]);
        response.append('Link', linkToCapabilityList('describes', set, app.configuration.baseUrl));
        sendPage(response, renderSetPage({ ...page, summary, cursor, changes, days, hours, dump, archive }));
      },
    }),

    changesRoute(app),
    findRoute(app),
    resourceRoute(app),
    recordPageRoute(app),
    postingsRoute(app),
  ];
}

/** The number of changes in each of the last days or hours. */
export async function seriesOf(
  { activity }: ServedApp,
  { id }: ResourceSet,
  { unit, shown }: { readonly unit: TimeUnit; readonly shown: number },
): Promise<Series> {
  const until = clockStamp();
  return { unit, counts: await activity.of(id, { from: until - (shown - 1) * MICROSECONDS[unit], until, unit }) };
}
