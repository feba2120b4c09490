import type { Change } from '../core/change.ts';
import { uriOf } from '../core/key.ts';
import { traitsOf } from '../core/origin.ts';
import type { Resource, ResourceState } from '../core/resource.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { formatStamp } from '../core/stamp.ts';
import { formatSeconds } from '../core/w3c-datetime.ts';
import type { PostingResult } from '../ingest/posting.ts';
import type { PostingEntry } from '../observe/audit/posting-entry.ts';
import type { PageInfo } from '../publish/document-publisher.ts';
import { documentUri, listedKindsOf } from '../publish/documents.ts';
import type { ChangeCounts, SetSummary } from '../stores/set-statistics.ts';
import type {
  ChangeView,
  CountedChangesView,
  EventResultView,
  PageView,
  PostingView,
  ResourceView,
  SetView,
} from './schemas.ts';

/** Views of domain values in the API; see schemas.ts. */

export function setView(set: ResourceSet, summary: SetSummary, baseUrl: string): SetView {
  const { source, records, from, stream } = traitsOf(set.origin);
  return {
    set: set.slug,
    title: set.title,
    aliases: set.aliases && [...set.aliases],
    ready: set.ready,
    resources: summary.resources,
    changes: summary.changes,
    lastChange: summary.lastChange === 0 ? undefined : formatStamp(summary.lastChange),
    urlPrefix: set.urlPrefix,
    hasRoot: source !== undefined,
    records,
    from: from?.url,
    organization: stream?.organization,
    stream: stream?.stream,
    publishes: stream && source,
    private: set.private === true,
    epoch: set.epoch,
    documents: documentsOf(set, baseUrl),
  };
}

/** Only for administrators: it may name files and hosts. */
export function troubleOf({ trouble }: ResourceSet): SetView['trouble'] {
  return trouble && { since: new Date(trouble.since).toISOString(), problem: trouble.problem };
}

function documentsOf(set: ResourceSet, baseUrl: string): SetView['documents'] {
  const uris = listedKindsOf(set).map((kind) => [kind, documentUri(baseUrl, { kind, set: set.slug })]);
  return Object.fromEntries(uris) as SetView['documents'];
}

export function resourceView(
  { urlPrefix }: ResourceSet,
  { key, state, stamp, created, order }: Resource,
): ResourceView {
  return {
    uri: uriOf(urlPrefix, key),
    key,
    ...stateView(urlPrefix, state),
    changed: formatStamp(stamp),
    created: formatStamp(created),
    order,
  };
}

export function changeView({ urlPrefix }: ResourceSet, { key, kind, stamp, state, order }: Change): ChangeView {
  return {
    uri: uriOf(urlPrefix, key),
    key,
    change: kind,
    datetime: formatStamp(stamp),
    ...stateView(urlPrefix, state ?? {}),
    order,
  };
}

export function pageView(page: PageInfo, { slug }: ResourceSet, baseUrl: string): PageView {
  return {
    name: page.name,
    uri: documentUri(baseUrl, { kind: 'resourceListPage', set: slug, name: page.name }),
    from: page.from,
    entries: page.entries,
    changed: page.version === 0 ? undefined : formatStamp(page.version),
    length: page.length,
    digest: page.digest,
    rendered: page.rendered === undefined ? undefined : new Date(page.rendered).toISOString(),
  };
}

export function countsView({ start, created, updated, deleted }: ChangeCounts): CountedChangesView {
  return { start: formatStamp(start), created, updated, deleted };
}

export function postingView({ began, ended, duration, ...entry }: PostingEntry): PostingView {
  return {
    ...entry,
    began: new Date(began).toISOString(),
    ended: new Date(ended).toISOString(),
    durationMs: duration,
    rejections: [...entry.rejections],
  };
}

export function resultView(result: PostingResult): EventResultView {
  if (result.status !== 'applied') return result;
  return { status: 'applied', change: result.kind, datetime: formatStamp(result.stamp) };
}

function stateView(urlPrefix: string, { lastmod, length, mime, hashes, links }: ResourceState) {
  return {
    lastmod: lastmod === undefined ? undefined : formatSeconds(lastmod),
    length,
    mime,
    hashes,
    ln: links?.map(({ modified, ...link }) => ({
      ...link,
      href: uriOf(urlPrefix, link.href),
      ...(modified !== undefined && { modified: formatSeconds(modified) }),
    })),
  };
}
