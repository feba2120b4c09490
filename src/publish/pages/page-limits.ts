import type { ResourceKey } from '../../core/key.ts';
import { MAX_ENTRIES } from '../../core/resource-set.ts';
import type { Limits, Piece } from '../../stores/resource-states.ts';

/**
 * An index has at most 50,000 pages. With more than `WIDEN_ABOVE` resources for each entry of a page, pages are made
 * larger, so that there are `WIDEN_TO` for each.
 */
export const MOST_PAGES = MAX_ENTRIES;
const WIDEN_ABOVE = 40_000;
const WIDEN_TO = 25_000;

/**
 * The limits of pages when a set has this many resources: larger than the set's page size when an index could not list
 * all pages.
 */
export function widened({ entries, weight }: Limits, resources: number): Limits {
  if (resources <= entries * WIDEN_ABOVE) return { entries, weight };
  return { entries: Math.min(Math.ceil(resources / WIDEN_TO), MAX_ENTRIES), weight };
}

/**
 * Bytes of a stored directory, which is one document of the catalog: Elasticsearch accepts 100 MB, and less with a
 * small heap. Keys may be 2,048 characters long, so pages of few entries are made larger before there are 50,000 of
 * them.
 */
export const MOST_BYTES = 16 * 1024 * 1024;
const WIDEN_ABOVE_BYTES = 13 * 1024 * 1024;
const WIDEN_TO_BYTES = 8 * 1024 * 1024;
export const MOST_RETIRED_BYTES = 24 * 1024 * 1024;
/** Bytes of a page besides its two keys. */
const PAGE_BYTES = 170;

/** The limits for cutting pieces again when their keys take too many bytes; undefined when they do not. */
export function widenedFor(pieces: readonly Piece[], { entries, weight }: Limits): Limits | undefined {
  const bytes = bytesOf(pieces.map(({ from, last }) => [from, last]));
  if (bytes <= WIDEN_ABOVE_BYTES || entries >= MAX_ENTRIES) return undefined;
  return { entries: Math.min(entries * Math.ceil(bytes / WIDEN_TO_BYTES), MAX_ENTRIES), weight };
}

/** Bytes of a directory whose pages have these keys. */
export function bytesOf(keys: readonly (readonly (ResourceKey | undefined)[])[]): number {
  return keys.reduce((sum, [one = '', other = '']) => sum + PAGE_BYTES + one.length + other.length, 0);
}
