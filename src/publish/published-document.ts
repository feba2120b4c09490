import type { Readable } from 'node:stream';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';

export const ENCODINGS = ['identity', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A document that was rendered once and is served many times. */
export interface PublishedDocument {
  /** The digest of its uncompressed bytes, the opaque part of an ETag. */
  readonly digest: string;
  /** The newest stamp that it tells of; what Last-Modified is made from. */
  readonly newest: Stamp;
  /** When it was rendered, milliseconds since 1970. */
  readonly rendered: number;
  /** A closed document never changes and may be cached for ever. */
  readonly immutable: boolean;
  /** Bytes of each encoding. */
  readonly lengths: Readonly<Record<Encoding, number>>;
  /** The bytes in an encoding. */
  open(encoding: Encoding): Promise<Readable | Buffer>;
}

/** A document whose Last-Modified is not before the change of settings that gave it other bytes. */
export function notOlderThan(since: Stamp, document: PublishedDocument): PublishedDocument {
  return document.newest >= since ? document : { ...document, newest: since };
}

/** One page of a Resource List, as an administrator sees it. */
export interface PageInfo {
  readonly name: string;
  /** The first key that it may hold; empty for the first page. */
  readonly from: string;
  readonly entries: number;
  /** Newest stamp in its range, 0 for none. */
  readonly version: Stamp;
  /** Bytes of its rendered form, when it was rendered at this version. */
  readonly length?: number;
  readonly digest?: string;
  /** Milliseconds since 1970. */
  readonly rendered?: number;
}

/** Publishes documents; every answer tells of all changes that were committed before it was asked. */
export interface DocumentPublisher {
  /** An index when the sets are more than one document may have. @param shown the sets that it lists, ascending by slug */
  sourceDescription(shown: readonly ResourceSet[]): Promise<PublishedDocument>;
  /** @throws TidemarkError `not-found` when the Source Description has no such part */
  descriptionPart(shown: readonly ResourceSet[], name: string): Promise<PublishedDocument>;
  capabilityList(slug: string): Promise<PublishedDocument>;
  /** The list, or the index when there are several pages. */
  resourceList(slug: string): Promise<PublishedDocument>;
  /** @throws TidemarkError `not-found` for a name that never was, `gone` for one of an old epoch or split more than a day ago */
  resourcePage(slug: string, name: string): Promise<PublishedDocument>;
  /** The flat list as long as one suffices, an index after. */
  changeList(slug: string): Promise<PublishedDocument>;
  recentChanges(slug: string): Promise<PublishedDocument>;
  changeWindow(slug: string, name: string): Promise<PublishedDocument>;
  /**
   * The changes of a time, as many as a document may hold; `next` is the boundary at which it goes on when that was not all.
   * @throws TidemarkError `invalid` when `until` is not after `from`, `from` lies in the future, or `until` before the set's history
   */
  changesBetween(
    slug: string,
    range: { readonly from: Stamp | undefined; readonly until: Stamp | undefined },
  ): Promise<{ readonly document: PublishedDocument; readonly next: Stamp | undefined }>;
  pages(slug: string): Promise<readonly PageInfo[]>;
  /** Some of a set's pages, and how many there are: what is told of a page is read from the disk. @param range `start` is counted from 0 */
  pagesFrom(
    slug: string,
    range: { readonly start: number; readonly most: number },
  ): Promise<{ readonly pages: readonly PageInfo[]; readonly total: number }>;
  /** Renders one page anew from the store, and touches no other. */
  refreshPage(slug: string, name: string): Promise<PageInfo>;
}
