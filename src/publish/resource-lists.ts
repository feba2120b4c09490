import { TidemarkError } from '../core/errors.ts';
import { entriesSince, hasListArchive } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import { withArchive } from './archive-documents.ts';
import type { RenderTask } from './cache/document-cache.ts';
import { type DocumentReference, fingerprint } from './cache/document-reference.ts';
import type { DocumentPlan } from './document-plan.ts';
import { documentName, parseName } from './pages/document-name.ts';
import { PAGE_NAME_KEPT_MS, type PageDirectory } from './pages/page-directory.ts';
import type { Page, RetiredPage } from './pages/stored-directory.ts';
import type { PublishedSet } from './published-set.ts';

export interface PagePlan {
  readonly page: Readonly<Page>;
  readonly plan: DocumentPlan;
}

/** The Resource List of a set: one document, or an index over pages (ResourceSync 1.1, 10). */
export function planResourceList(published: PublishedSet, directory: PageDirectory): DocumentPlan {
  const [only, ...more] = directory.pages as [Page, ...Page[]];
  return more.length === 0 ? planOnly(published, only) : planIndex(published, directory);
}

/** Plans every page as it is listed. */
export function planPages(published: PublishedSet, directory: PageDirectory): readonly PagePlan[] {
  return directory.pages.map((page) => ({ page: { ...page }, plan: planAsListed(published, directory, page) }));
}

/** A page by its name, including pages that are no longer listed. @throws TidemarkError `not-found` or `gone` */
export function planNamedPage(published: PublishedSet, directory: PageDirectory, name: string): DocumentPlan {
  const page = directory.pages.find((candidate) => candidate.name === name);
  if (page !== undefined) return planPage(published, directory, page);
  const number = parseName(name, directory.epoch);
  const retired = directory.retired.find((candidate) => candidate.name === name);
  if (retired !== undefined && Date.now() - retired.retired < PAGE_NAME_KEPT_MS) return planRetired(published, retired);
  if (number > 0 && number <= directory.lastNumber) {
    throw new TidemarkError('gone', `the page "${name}" was split more than a day ago: read the index again`, { name });
  }
  throw new TidemarkError('not-found', `there is no page "${name}"`, { name });
}

/** The only page is published as the list itself. */
function planAsListed(published: PublishedSet, directory: PageDirectory, page: Page): DocumentPlan {
  return directory.pages.length === 1 ? planOnly(published, page) : planPage(published, directory, page);
}

function planOnly(published: PublishedSet, page: Page): DocumentPlan {
  const { set, uris, style, isPlain } = published;
  const at = atOf(published, page.version);
  const { archives, seen } = withArchiveOf(published);
  const head = { at, capabilityList: uris.capabilityList, ...(archives !== undefined && { archives }) };
  return plan(published, reference(seen, documentName(uris.resourceList), page.version), {
    newest: at - 1,
    job: { kind: 'resource-page', set: set.id, range: {}, style, head, ...(isPlain && { isPlain }) },
  });
}

/** The link to the archive, if there is one, and the set for documents with that link. */
function withArchiveOf(published: PublishedSet) {
  if (published.isPlain === true || !hasListArchive(published.set)) return { seen: published };
  const archives = published.uris.resourceListArchive;
  return { archives, seen: withArchive(published, archives) };
}

function planPage(published: PublishedSet, directory: PageDirectory, page: Page): DocumentPlan {
  const { set, uris, style, isPlain } = published;
  const at = atOf(published, page.version);
  return plan(published, reference(published, documentName(uris.resourcePage(page.name)), page.version), {
    newest: at - 1,
    job: {
      kind: 'resource-page',
      set: set.id,
      range: { from: page.from, to: directory.endOf(page.name) },
      style,
      head: { at, capabilityList: uris.capabilityList, index: uris.resourceList },
      ...(isPlain && { isPlain }),
    },
  });
}

/** The resources that the page contained when it was last within its limits, in their current state. */
function planRetired(published: PublishedSet, { name, from, to, through }: RetiredPage): DocumentPlan {
  const { set, uris, style, isPlain } = published;
  const at = Math.max(through, set.epochStart);
  return plan(published, reference(published, documentName(uris.resourcePage(name), 'retired'), through), {
    newest: at - 1,
    job: {
      kind: 'resource-page',
      set: set.id,
      range: { from, to },
      createdBefore: through,
      style,
      head: { at, capabilityList: uris.capabilityList, index: uris.resourceList },
      ...(isPlain && { isPlain }),
    },
  });
}

function planIndex(published: PublishedSet, directory: PageDirectory): DocumentPlan {
  const { uris, isPlain } = published;
  const { pages } = directory;
  const newest = Math.max(...pages.map(({ version }) => version));
  const at = atOf(published, newest);
  // After a split, there may be other pages for the same newest stamp.
  const { archives, seen } = withArchiveOf(published);
  const shape = fingerprint(seen.fingerprint, pages.length, directory.lastNumber);
  const list = reference(published, documentName(uris.resourceList), newest);
  return plan(
    published,
    { ...list, fingerprint: shape },
    {
      newest: at - 1,
      job: {
        kind: 'resource-list-index',
        document: {
          at,
          capabilityList: uris.capabilityList,
          ...(archives !== undefined && { archives }),
          pages: pages.map(({ name, version }) => ({ uri: uris.resourcePage(name), at: atOf(published, version) })),
        },
        ...(isPlain && { isPlain }),
      },
    },
  );
}

/** The directory changes later, so everything needed is read from it before. */
function plan({ set }: PublishedSet, reference: DocumentReference, task: RenderTask): DocumentPlan {
  return { reference, task: () => task, notBefore: Math.max(set.pagesSince ?? 0, entriesSince(set)) };
}

/** One above the newest stamp; for a set without changes in this epoch, the start of the epoch. */
export function atOf({ set }: Pick<PublishedSet, 'set'>, version: Stamp): Stamp {
  return Math.max(version + 1, set.epochStart);
}

function reference({ folder, fingerprint }: PublishedSet, name: string, version: Stamp): DocumentReference {
  return { folder, name, version, fingerprint };
}
