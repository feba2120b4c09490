import { TidemarkError } from '../core/errors.ts';
import type { ArchiveContent } from './archive-documents.ts';
import type { KeepPlan } from './archives/list-archives.ts';
import { type ArchivedList, type StoredArchive, timeName } from './archives/stored-archive.ts';
import { fingerprint } from './cache/document-reference.ts';
import type { DocumentPlan } from './document-plan.ts';
import { nameOfPart } from './numbered-parts.ts';
import { documentName } from './pages/document-name.ts';
import type { PageDirectory } from './pages/page-directory.ts';
import type { PublishedSet } from './published-set.ts';
import { ENTRY_VERSION } from './render/documents/entry.ts';
import type { RenderJob } from './render/render-job.ts';
import { atOf } from './resource-lists.ts';

/** Plans the pages of a set to keep in an archive. */
export function planKeeping({ set, style: live }: PublishedSet, directory: PageDirectory): KeepPlan {
  // A version may be removed later, while an archived list never changes: so it has no links to versions.
  const { versions: _, ...style } = live;
  const newest = Math.max(...directory.pages.map(({ version }) => version));
  const at = atOf({ set }, newest);
  const pages = directory.pages.map(({ name, version, from }) => {
    return { set: set.id, page: name, version, range: { from, to: directory.endOf(name) }, at, style };
  });
  return { set, at, style: fingerprint(ENTRY_VERSION, style), pages };
}

/** The contents of the archive of Resource Lists. */
export function archivedLists({ uris }: PublishedSet, { lists }: StoredArchive): ArchiveContent {
  return {
    capability: 'resourcelist-archive',
    uri: uris.resourceListArchive,
    partUri: uris.resourceListArchivePart,
    entries: lists.map(({ at, completed }) => ({ uri: uris.archivedList(timeName(at)), at, completed })),
  };
}

/**
 * A Resource List of an earlier time: one document, or an index over pages. It never changes.
 * @param name the time of the list, followed by a number for a page
 * @throws TidemarkError `not-found`; `gone` when it was removed
 */
export function planArchivedList(published: PublishedSet, archive: StoredArchive, name: string): DocumentPlan {
  const [time = '', number] = name.split('-');
  const list = archive.lists.find(({ at }) => timeName(at) === time);
  if (list === undefined) throw missing(published, archive, name);
  const uri = published.uris.archivedList(name);
  if (number !== undefined) return plan(published, list, { uri, job: pageJob(published, list, number) });
  return plan(published, list, {
    uri,
    job: list.pages === 1 ? keptPage(published, list, 0) : indexJob(published, list),
  });
}

function indexJob({ uris }: PublishedSet, { at, pages }: ArchivedList): RenderJob {
  const parts = Array.from({ length: pages }, (_, page) => ({ uri: uris.archivedList(pageName(at, page)), at }));
  return { kind: 'resource-list-index', document: { at, capabilityList: uris.capabilityList, pages: parts } };
}

/** @throws TidemarkError `not-found` when the list has no such page */
function pageJob(published: PublishedSet, list: ArchivedList, number: string): RenderJob {
  const page = Number(number) - 1;
  const name = `${timeName(list.at)}-${number}`;
  if (list.pages > 1 && page >= 0 && page < list.pages && name === pageName(list.at, page)) {
    return keptPage(published, list, page, published.uris.archivedList(timeName(list.at)));
  }
  throw new TidemarkError('not-found', `there is no page "${name}"`, { name });
}

function keptPage({ set, uris }: PublishedSet, { at, name }: ArchivedList, number: number, index?: string): RenderJob {
  const head = { at, capabilityList: uris.capabilityList, index };
  return { kind: 'kept-page', place: { set: set.id, list: name, number }, head };
}

function plan(
  { folder, fingerprint: ofSet }: PublishedSet,
  { at, name }: ArchivedList,
  { uri, job }: { readonly uri: string; readonly job: RenderJob },
): DocumentPlan {
  const reference = { folder, name: documentName(uri), version: at - 1, fingerprint: fingerprint(ofSet, name) };
  return { reference, task: () => ({ newest: at - 1, immutable: true, job }) };
}

function missing({ set }: PublishedSet, { removedThrough = 0 }: StoredArchive, name: string): TidemarkError {
  const isOlder = [set.epochStart, removedThrough].some(
    (time) => name.slice(0, timeName(time).length) <= timeName(time),
  );
  const isTime = /^\d{8}T\d{12}Z(?:-\d{5,})?$/.test(name);
  if (isTime && isOlder) {
    return new TidemarkError('gone', `the list of ${name} was removed, or is of an earlier history of this set`, {
      name,
    });
  }
  return new TidemarkError('not-found', `there is no archived list "${name}"`, { name });
}

function pageName(at: number, page: number): string {
  return `${timeName(at)}-${nameOfPart(page)}`;
}
