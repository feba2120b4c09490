import type { ResourceKey } from '../../core/key.ts';
import type { Stamp } from '../../core/stamp.ts';

/**
 * A page of the Resource List: a contiguous range of keys, from its `from` to that of the next page. Its contents are
 * counted along the log, so that the store is read only when a page is too full.
 */
export interface Page {
  readonly name: string;
  /** The smallest key that it may contain; empty for the first page. */
  from: ResourceKey;
  entries: number;
  /** Upper limit of the bytes of its entries: an update adds its weight without subtracting the previous one. */
  weight: number;
  /** The newest stamp in its range, including tombstones; 0 when there is none. */
  version: Stamp;
  /** The greatest key that it ever contained. */
  high: ResourceKey;
  /** The boundary up to which the log is counted. */
  counted: Stamp;
  /** The boundary at which it was last within its limits; undefined while it still is. */
  full?: Stamp | undefined;
}

/** A page that was split, or was empty and removed. Its name continues to serve its former resources for a day. */
export interface RetiredPage {
  readonly name: string;
  readonly from: ResourceKey;
  readonly to: ResourceKey | undefined;
  /** The boundary: it serves the resources of its range that were created before it. */
  readonly through: Stamp;
  /** Milliseconds since 1970. */
  readonly retired: number;
}

/** A directory in the catalog. */
export interface StoredDirectory {
  readonly epoch: number;
  readonly through: Stamp;
  readonly lastNumber: number;
  readonly pages: readonly Page[];
  readonly retired: readonly RetiredPage[];
  /** The most entries of a page, when that exceeds the set's page size. */
  readonly entries?: number;
  /** The page size of the set, and the time when it was set; absent when it was never changed. */
  readonly pageEntries?: number;
  readonly pagesSince?: Stamp | undefined;
}
