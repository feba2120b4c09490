import type { ResourceKey } from '../core/key.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { SetDocumentKey, SourceDocumentKey } from './documents.ts';
import type { PublishedDocument } from './published-document.ts';

/** One page of a Resource List, for administrators. */
export interface PageInfo {
  readonly name: string;
  /** The first key that it may contain; empty for the first page. */
  readonly from: string;
  readonly entries: number;
  /** The newest stamp in its range; 0 when there is none. */
  readonly version: Stamp;
  /** Bytes of its rendered document, if it was rendered at this version. */
  readonly length?: number;
  readonly digest?: string;
  /** Milliseconds since 1970. */
  readonly rendered?: number;
}

/** A page of a Resource List, as its index names it; the list itself when it has no other page. */
export interface ListedPage {
  readonly name: string;
  readonly uri: string;
}

/** Publishes documents. Each contains all changes that were committed before the call. */
export interface DocumentPublisher {
  /**
   * @param shown the sets to list, ascending by slug
   * @throws TidemarkError `not-found` when the Source Description has no such part
   */
  sourceDocument(key: SourceDocumentKey, shown: readonly ResourceSet[]): Promise<PublishedDocument>;
  /**
   * @throws TidemarkError `not-found` for the name of a page or window that never existed; `gone` for one of an old
   *   epoch, and for a page that was split more than a day ago; `not-ready` while the set is read for the first time;
   *   `invalid` when `until` is not after `from`, `from` is in the future, or `until` before the history of the set
   */
  setDocument(key: SetDocumentKey): Promise<PublishedDocument>;
  pages(slug: string): Promise<readonly PageInfo[]>;
  /**
   * Some pages of a set, and the number of all pages. Sizes and digests are read from the disk.
   * @param range `start` is counted from 0
   */
  pagesFrom(
    slug: string,
    range: { readonly start: number; readonly most: number },
  ): Promise<{ readonly pages: readonly PageInfo[]; readonly total: number }>;
  /**
   * The page that has a resource, or would have it.
   * @throws TidemarkError `not-ready` while the set is read for the first time
   */
  pageOf(slug: string, key: ResourceKey): Promise<ListedPage>;
  /**
   * Renders only one page again from the store.
   * @param named its name, its file name or its URL
   * @throws TidemarkError `not-found`
   */
  refreshPage(slug: string, named: string): Promise<PageInfo>;
}
