import * as z from 'zod';
import { fieldsOf, hasRecords, removedAmong } from '../../api/record-versions.ts';
import type { Change } from '../../core/change.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { type ResourceKey, uriOf } from '../../core/key.ts';
import type { Link, Resource, ResourceState, Tombstone } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { keptSince } from '../../core/resource-set.ts';
import { mementoUri, setHome } from '../../core/set-uris.ts';
import type { Stamp } from '../../core/stamp.ts';
import { boundaryBefore } from '../../core/stamp.ts';
import { formatSeconds } from '../../core/w3c-datetime.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { ListedPage } from '../../publish/document-publisher.ts';
import type { ReadableField } from '../../records/readable/readable-record.ts';
import type { HistoryRange } from '../../stores/set-statistics.ts';
import { setOf } from '../request/admitted.ts';
import { newestChanges } from '../request/browse.ts';
import { keyOf, listedPageSoon } from '../request/named-resource.ts';
import { pageOperation } from '../request/operation.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import type { Taken } from '../request/take.ts';
import { inTime } from '../response/in-time.ts';
import { type Frame, linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { before } from './parts/page-query.ts';
import { onward, queryOf } from './parts/pager.ts';
import { kindMark, lengthOf, nameOf, uriLink } from './parts/resource-parts.ts';
import { sendPage } from './parts/send-page.ts';
import { renderSetFrame, type SetFrame, setFrameOf } from './parts/set-frame.ts';
import { type Column, facts, stackingTable } from './parts/tables.ts';
import { exactTime, formatTime } from './parts/words.ts';
import { recordFields } from './records/record-fields.ts';
import { lastUploadOf, recordColumns } from './records/record-history.ts';

const HISTORY_PER_PAGE = 100;

/** One resource, and its changes. */
export function resourceRoute(app: ServedApp): Route {
  const { publisher } = app.publishing;
  const { index } = app;
  return get('/sets/:set/resource', {
    action: 'read-state',
    ...pageOperation('resourcePage', 'A resource with its state and its history'),
    query: z.object({ key: z.string().optional(), uri: z.string().optional(), before }),
    async handle(request, response, { before, ...named }) {
      const set = setOf(response);
      const key = keyOf(named, set);
      const [resource] = await index.lookup(set.id, [key]);
      if (resource === undefined) throw new TidemarkError('not-found', `there is no resource ${key}`, { key });
      const read = (range: HistoryRange) => index.history(set.id, key, range);
      const history = await newestChanges(set, { before, limit: HISTORY_PER_PAGE }, read);
      const page = await setFrameOf(app, { request, response }, undefined);
      const versions = await keptVersions(app, set, history.taken);
      const fields = resource.state && (await readableFields(app, set, resource));
      const removed = hasRecords(set) ? await removedAmong(app, set, history.taken) : NONE;
      const listed = resource.state === undefined ? undefined : await listedPageSoon(publisher, set, key);
      const shown = {
        listed,
        fields,
        history: history.taken,
        versions,
        removed,
        older: olderThan(history),
        isLatest: before === undefined,
      };
      sendPage(response, renderResourcePage({ ...page, resource, ...shown }));
    },
  });
}

/** Undefined when the set keeps none, and while the artifact store is away: the history is shown all the same. */
async function keptVersions(
  { publishing: { versions } }: ServedApp,
  set: ResourceSet,
  history: readonly Change[],
): Promise<ReadonlySet<Stamp> | undefined> {
  if (keptSince(set) === undefined && !hasRecords(set)) return undefined;
  try {
    return new Set((await inTime(versions.among(set, history))).map(({ stamp }) => stamp));
  } catch (error) {
    if (isTidemarkError(error, 'unavailable')) return undefined;
    throw error;
  }
}

const NONE: ReadonlySet<Stamp> = new Set();

/** As `fieldsOf`; undefined while its artifact cannot be read: the rest of the page is shown. */
async function readableFields(...given: Parameters<typeof fieldsOf>): ReturnType<typeof fieldsOf> {
  try {
    return await inTime(fieldsOf(...given));
  } catch (error) {
    if (isTidemarkError(error, 'unavailable')) return undefined;
    throw error;
  }
}

/** The boundary below the last of these changes (newest first), when there are older ones. */
function olderThan({ taken, hasMore }: Taken<Change>): Stamp | undefined {
  return hasMore ? boundaryBefore(taken.at(-1)!.stamp) : undefined;
}

interface ResourcePage extends SetFrame {
  readonly resource: Resource | Tombstone;
  /** The page of the Resource List that has it, if any, and if it is known. */
  readonly listed: ListedPage | undefined;
  /** What is in it, if it is a record that people can read. */
  readonly fields: readonly ReadableField[] | string | undefined;
  /** Its changes, newest first. */
  readonly history: readonly Change[];
  /** The times of changes after which its bytes are kept; undefined when they are not known, or the set keeps none. */
  readonly versions: ReadonlySet<Stamp> | undefined;
  /** The times of changes that came with an upload that was removed. */
  readonly removed: ReadonlySet<Stamp>;
  /** Whether these are the newest changes, and the boundary below them when there are older ones. */
  readonly isLatest: boolean;
  readonly older: number | undefined;
}

/** One resource: its current state, and its history. */
export function renderResourcePage(page: ResourcePage): string {
  const { resource, listed, set, frame, isLatest, older, fields } = page;
  const { key, state, stamp } = resource;
  const query = (before: number | undefined) =>
    queryOf({ key, before: before === undefined ? undefined : String(before) });
  const main = html`${state === undefined && html`<p class="notice bad">This resource was deleted: ${exactTime(stamp, frame.now)}.</p>`}
${facts([['Address', address(key, set, frame, state !== undefined)], ...stateFacts(state, set, frame), ...timeFacts(resource, frame.now), ['Last named by', lastUpload(page)], ['Listed in', listed && uriLink(listed.uri, linkTo(listed.uri, frame))]])}
${fields && recordSection(fields)}
<h2>History</h2>
${historyTable(page)}
${isCutOff(page) && html`<p class="quiet">Older changes are not in the log any more.</p>`}
${onward(
  isLatest ? undefined : { name: 'Latest', href: query(undefined) },
  older === undefined ? undefined : { name: 'Older', href: query(older) },
)}`;
  return renderSetFrame(page, main, { above: nameOf(key) });
}

function address(key: ResourceKey, { urlPrefix }: ResourceSet, frame: Frame, isLive: boolean): Html | string {
  const uri = uriOf(urlPrefix, key);
  return isLive ? uriLink(uri, linkTo(uri, frame)) : uri;
}

function stateFacts(state: ResourceState | undefined, set: ResourceSet, frame: Frame) {
  if (state === undefined) return [];
  const { mime, length, lastmod, hashes = {}, links = [] } = state;
  return [
    ['Type', mime],
    ['Size', length === undefined ? undefined : sizeOf(length)],
    [
      'Last modified',
      lastmod === undefined
        ? undefined
        : html`<time datetime="${formatSeconds(lastmod)}">${formatTime(lastmod * 1000)}</time>`,
    ],
    ...Object.entries(hashes).map(([algorithm, digest]) => [algorithm, html`<code>${digest}</code>`] as const),
    ['Links', links.length === 0 ? undefined : linkList(links, set, frame)],
  ] as const;
}

function sizeOf(length: number): Html {
  return html`${lengthOf(length)} ${length >= 1000 && html`<span class="quiet">(${formatCount(length)} bytes)</span>`}`;
}

function linkList(links: readonly Link[], { urlPrefix }: ResourceSet, frame: Frame): Html {
  const items = links.map(({ rel, href, mime, pri, modified }) => {
    const uri = uriOf(urlPrefix, href);
    const about = [mime, pri && `priority ${pri}`, modified && `of ${formatTime(modified * 1000)}`].filter(Boolean);
    return html`<li><span class="quiet">${rel}:</span> ${uriLink(uri, linkTo(uri, frame))} ${about.length > 0 && html`<span class="quiet">${about.join(', ')}</span>`}</li>`;
  });
  return html`<ul>${items}</ul>`;
}

function timeFacts({ state, stamp, created }: Resource | Tombstone, now: number) {
  return [
    [state === undefined ? 'Last created here' : 'Created here', exactTime(created, now)],
    ['Last changed here', exactTime(stamp, now)],
  ] as const;
}

function recordSection(fields: readonly ReadableField[] | string): Html {
  return html`<h2>Record</h2>
${typeof fields === 'string' ? html`<p class="quiet">${fields}</p>` : recordFields({ fields, label: 'The record, field by field' })}`;
}

/** The upload that named it last, when that is not the one of its last change. */
function lastUpload({ resource: { order }, history, isLatest, set, frame }: ResourcePage): Html | undefined {
  const [last] = history;
  return isLatest && last !== undefined ? lastUploadOf(last, { order, set, frame }) : undefined;
}

/** Whether the first change of a resource is missing: it begins with its creation. */
function isCutOff({ history, older }: ResourcePage): boolean {
  return older === undefined && history.length > 0 && history.at(-1)!.kind !== 'created';
}

/** Of a record, they are always the same. */
const FILE_COLUMNS: readonly Column<Change>[] = [
  { name: 'Type', style: 'short', cell: ({ state }) => state?.mime },
  {
    name: 'Last modified',
    style: 'short',
    cell: ({ state }) => (state?.lastmod === undefined ? undefined : formatTime(state.lastmod * 1000)),
  },
];

function historyTable({ history, versions, removed, set, frame }: ResourcePage): Html {
  const { now, top, baseUrl } = frame;
  const version = ({ stamp, key }: Change): Html | undefined => {
    if (versions?.has(stamp) !== true) return undefined;
    const uri = mementoUri(setHome(baseUrl, set.slug), stamp, key);
    return html`<a href="${linkTo(uri, { top, baseUrl })}">as it was</a>`;
  };
  if (history.length === 0) return html`<p class="quiet">There is nothing before this.</p>`;
  const ofRecord = recordColumns({ set, frame, history, versions, removed });
  return stackingTable('History, newest first', history, [
    { name: 'When', style: 'short', isHead: true, cell: ({ stamp }) => exactTime(stamp, now) },
    { name: 'Change', style: 'short', cell: ({ kind }) => kindMark(kind) },
    { name: 'Size', style: 'number', cell: ({ state }) => lengthOf(state?.length) },
    ...(ofRecord.length > 0 ? ofRecord : FILE_COLUMNS),
    ...(versions === undefined || keptSince(set) === undefined
      ? []
      : [{ name: 'Version', style: 'short', cell: version } as const]),
  ]);
}
