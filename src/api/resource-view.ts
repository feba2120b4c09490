import * as z from 'zod';
import type { Change } from '../core/change.ts';
import { CHANGE_KINDS } from '../core/change.ts';
import { uriOf } from '../core/key.ts';
import type { Resource, ResourceState } from '../core/resource.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { formatStamp } from '../core/stamp.ts';
import { TIME_UNITS } from '../core/time-unit.ts';
import { formatSeconds } from '../core/w3c-datetime.ts';
import type { PageInfo } from '../publish/document-publisher.ts';
import { documentUri } from '../publish/documents.ts';
import type { ChangeCounts } from '../stores/set-statistics.ts';
import { count, w3cDatetime as datetime, next } from './fields.ts';

/** Resources, their changes and the pages of their lists in the API, and on the command line. */

export const uri = z.string().describe('A URI.');

const bytes = z.int().min(0).describe('Bytes.');

const order = count.optional();

const hashes = z
  .strictObject({ 'sha-256': z.string(), 'sha-1': z.string(), md5: z.string() })
  .partial()
  .meta({ id: 'Hashes', description: 'Hexadecimal digests of the bytes.' });

const link = z
  .strictObject({
    rel: z.string(),
    href: uri,
    mime: z.string().optional(),
    pri: z.int().optional(),
    modified: datetime.optional(),
    length: bytes.optional(),
    hashes: hashes.optional(),
  })
  .meta({ id: 'Link', description: 'A related resource.' });

const state = {
  lastmod: datetime.optional(),
  length: bytes.optional(),
  mime: z.string().optional(),
  hashes: hashes.optional(),
  ln: z.array(link).optional(),
};

export const resourceSchema = z
  .strictObject({
    uri,
    key: z.string().describe('What identifies it in its set: `/` and its path below `urlPrefix`, or its URI.'),
    ...state,
    changed: datetime,
    created: datetime,
    order: order.describe('The highest order of the events about it. Absent when none had one.'),
    page: uri.optional().describe('The document of the Resource List that has it. Only where one resource is shown.'),
  })
  .meta({ id: 'Resource', description: 'The current state of a resource.' });

export const resourcesSchema = z
  .strictObject({ resources: z.array(resourceSchema), next: next('after') })
  .meta({ id: 'Resources' });

const changeSchema = z
  .strictObject({
    uri,
    key: z.string(),
    change: z.enum(CHANGE_KINDS),
    datetime,
    ...state,
    order: order.describe('The highest order of the events about the resource, up to this change.'),
  })
  .meta({ id: 'Change', description: 'A change, with the state of the resource after it.' });

export const changesSchema = z
  .strictObject({ changes: z.array(changeSchema), next: next('from') })
  .meta({ id: 'Changes' });

export const latestChangesSchema = z
  .strictObject({ changes: z.array(changeSchema), next: next('until') })
  .meta({ id: 'LatestChanges', description: 'Changes, newest first.' });

const countedChangesSchema = z
  .strictObject({
    start: datetime.describe('When the hour or day begins.'),
    created: count,
    updated: count,
    deleted: count,
  })
  .meta({ id: 'CountedChanges' });

export const activitySchema = z.strictObject({ unit: z.enum(TIME_UNITS), counts: z.array(countedChangesSchema) }).meta({
  id: 'Activity',
  description: 'How many changes there were in each hour or day, also where there were none.',
});

export const pageSchema = z
  .strictObject({
    name: z.string(),
    uri,
    from: z.string().describe('The first key that it may hold.'),
    entries: count,
    changed: datetime.optional(),
    length: bytes.optional(),
    digest: z.string().optional().describe('Of its bytes; what its ETag is made of.'),
    rendered: datetime.optional(),
  })
  .meta({ id: 'Page', description: 'A page of the Resource List.' });

export const pagesSchema = z.strictObject({ pages: z.array(pageSchema) }).meta({ id: 'Pages' });

type CountedChangesView = z.infer<typeof countedChangesSchema>;

type ResourceView = z.infer<typeof resourceSchema>;

type ChangeView = z.infer<typeof changeSchema>;

type PageView = z.infer<typeof pageSchema>;

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
