import type { Resource } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import { resourcesAfter } from '../request/browse.ts';
import { take } from '../request/take.ts';
import { type NameSearch, parseNameSearch, placesIn } from './parts/name-search.ts';
import { nameOf } from './parts/resource-parts.ts';

/** Most resources that the store finds at once, and so the most that are counted. */
const MOST_COUNTED = 1_000;
/** Milliseconds: a page may take twice as long as one search of the store. */
const MOST_MS = 500;

export interface FoundOfSet {
  readonly resources: readonly Resource[];
  /** The key up to which the set was searched; undefined when the search is complete. */
  readonly next: string | undefined;
  /** Number of resources found from here on, including those that are not shown. */
  readonly count: number;
  /** Whether there may be more than these. */
  readonly mayBeMore: boolean;
}

interface Wanted {
  readonly q: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** The resources that match a search, and their number. */
export async function findResources(
  index: ResourceStates,
  set: ResourceSet,
  { q, after, limit }: Wanted,
): Promise<FoundOfSet> {
  const search = parseNameSearch(q);
  if (search.stored === '') {
    const { resources, next } = await resourcesAfter(index, set, { after, limit });
    return { resources, next, count: resources.length, mayBeMore: next !== undefined };
  }
  const { found, searchedTo } = await searched(index, set, { search, after });
  const { taken, hasMore } = await take([found], set, limit);
  return {
    resources: taken,
    next: hasMore ? taken.at(-1)!.key : searchedTo,
    count: found.length,
    mayBeMore: searchedTo !== undefined,
  };
}

/** Searches until there are enough to count, or the time is over. */
async function searched(
  index: ResourceStates,
  set: ResourceSet,
  { search, after }: { readonly search: NameSearch; readonly after: string | undefined },
) {
  const deadline = performance.now() + MOST_MS;
  const found: Resource[] = [];
  for (let from = after; ; ) {
    const { resources, next } = await index.find(set.id, { part: search.stored, after: from, limit: MOST_COUNTED });
    found.push(...(search.hasMore ? resources.filter(({ key }) => placesIn(nameOf(key), search)) : resources));
    if (next === undefined || found.length >= MOST_COUNTED || performance.now() > deadline) {
      return { found, searchedTo: next };
    }
    from = next;
  }
}
