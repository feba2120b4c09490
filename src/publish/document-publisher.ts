import type { ResourceSet } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { SetDocumentKey, SourceDocumentKey } from './documents.ts';
import type { PublishedDocument } from './published-document.ts';

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

/** Publishes documents; each contains all changes that were committed before it was asked for. */
export interface DocumentPublisher {
  /**
   * @param shown the sets that it lists, ascending by slug
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
   * Some pages of a set, and how many there are. Sizes and digests are read from the disk.
   * @param range `start` is counted from 0
   */
  pagesFrom(
    slug: string,
    range: { readonly start: number; readonly most: number },
  ): Promise<{ readonly pages: readonly PageInfo[]; readonly total: number }>;
  /** Renders one page again from the store, and no other. */
  refreshPage(slug: string, name: string): Promise<PageInfo>;
}
