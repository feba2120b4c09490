import type { ResourceKey } from '../../core/key.ts';
import type { Stamp } from '../../core/stamp.ts';

/**
 * A Resource List page: a contiguous range of keys, from its `from` to that of the next page. What it holds is counted
 * along the log, so that nothing has to be asked of the store until a page is too full.
 */
export interface Page {
  readonly name: string;
  /** The least key that it may hold; empty for the first page. */
  from: ResourceKey;
  entries: number;
  /** Bytes of its entries, at most: an update adds its weight without taking off the one before. */
  weight: number;
  /** The newest stamp in its range, tombstones included; 0 for none. */
  version: Stamp;
  /** The greatest key that it ever held. */
  high: ResourceKey;
  /** Up to where the log is counted. */
  counted: Stamp;
  /** The boundary at which it was last within its limits; undefined while it is. */
  full?: Stamp | undefined;
}

/** A page that was split, or removed when it had become empty. Its name goes on serving what it held, for a day. */
export interface RetiredPage {
  readonly name: string;
  readonly from: ResourceKey;
  readonly to: ResourceKey | undefined;
  /** It serves the resources of its range that were created before this boundary. */
  readonly through: Stamp;
  /** Milliseconds since 1970. */
  readonly retired: number;
}

/** A directory as it is kept in the catalog. */
export interface StoredDirectory {
  readonly epoch: number;
  readonly through: Stamp;
  readonly lastNumber: number;
  readonly pages: readonly Page[];
  readonly retired: readonly RetiredPage[];
  /** The most entries of a page, when that is more than the set says. */
  readonly entries?: number;
  /** The page size of the set, and when it was chosen; absent when it was never changed. */
  readonly pageEntries?: number;
  readonly pagesSince?: Stamp | undefined;
}
