import type { ResourceSet } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import type { StoredArchive } from './archives/stored-archive.ts';
import type { RenderTask } from './cache/document-cache.ts';
import type { DocumentReference } from './cache/document-reference.ts';
import type { Documents } from './cache/fresh-documents.ts';
import type { ChangePackage } from './dumps/stored-change-dump.ts';
import type { Dump } from './dumps/stored-dump.ts';
import type { PageDirectory } from './pages/page-directory.ts';
import type { PublishedDocument } from './published-document.ts';
import type { PublishedSet, SetUris } from './published-set.ts';

/**
 * The version of a document to publish, and how to make it. A plan is made at one state of the log, and carried out
 * later.
 */
export interface DocumentPlan {
  readonly reference: DocumentReference;
  readonly task: () => RenderTask;
  /** Last-Modified is not before this change of settings, which changed the document's bytes. */
  readonly notBefore?: Stamp;
  /** The boundary at which the next document continues, when this one had no room for all changes. */
  readonly next?: Stamp | undefined;
}

/** Input for planning a document of the source. */
export interface SourceInput {
  readonly baseUrl: string;
  /** The sets to list, ascending by slug. */
  readonly shown: readonly ResourceSet[];
  /** The address of the document. */
  readonly uri: string;
  readonly uris: SourceUris;
}

/** The addresses that documents of the source contain. */
export interface SourceUris {
  readonly sourceDescription: string;
  descriptionPart(part: string): string;
  /** Addresses of a set, by its slug. */
  ofSet(set: string): Pick<SetUris, 'home' | 'capabilityList'>;
}

/** Input for planning a document of a set. */
export interface SetInput {
  readonly published: PublishedSet;
  readonly index: ResourceIndex;
  /** The address of the document. */
  readonly uri: string;
  /** The name of the page, window or part in that address, or a time; empty for other documents. */
  readonly name: string;
  /** The period that a client requested. */
  readonly range: RequestedRange | undefined;
  /** The Resource Dump of the set's epoch. @throws TidemarkError `not-found` when there is none */
  dump(): Promise<Dump>;
  /** The packages of its Change Dump, at least one. @throws TidemarkError `not-found` when there is none */
  changePackages(): Promise<readonly ChangePackage[]>;
  /** The archived Resource Lists of the set's epoch. @throws TidemarkError `not-found` when there is none */
  archive(): Promise<StoredArchive>;
  /** The archived dump that was completed at a time. @throws TidemarkError `not-found` or `gone` */
  archivedDump(time: string): Promise<Dump>;
  /** Calls `use` with the pages of the set when every page is within its limits: see SetPublication. */
  settled<Result>(use: (directory: PageDirectory) => Result): Promise<Result>;
}

/** Changes between two boundaries. */
export interface RequestedRange {
  readonly from: Stamp | undefined;
  readonly until: Stamp | undefined;
}

/** The document, from the cache or rendered now. */
export async function publish(
  cache: Pick<Documents, 'get'>,
  { reference, task, notBefore = 0, next }: DocumentPlan,
): Promise<PublishedDocument> {
  const document = await cache.get(reference, task);
  return { ...document, newest: Math.max(document.newest, notBefore), ...(next !== undefined && { next }) };
}
