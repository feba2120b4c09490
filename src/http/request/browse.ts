import type { Change } from '../../core/change.ts';
import type { Resource } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { boundaryBefore, type Stamp } from '../../core/stamp.ts';
import type { FoundResources, ResourceStates, Search } from '../../stores/resource-states.ts';
import type { HistoryRange, LatestRange } from '../../stores/set-statistics.ts';
import { type Taken, take } from './take.ts';

/** Number of changes that are read at once: a response may have room for few of them. */
const SLICE = 250;
/** Most changes that one response searches: each is read and tested. */
const MOST_SEARCHED = 5_000;

interface Following {
  readonly after: string | undefined;
  readonly limit: number;
}

/** The resources after a key that fit one response, and the last of their keys when there are more. */
export async function resourcesAfter(
  index: ResourceStates,
  set: ResourceSet,
  { after, limit }: Following,
): Promise<FoundResources> {
  const { taken, hasMore } = await take(without(after, index.read(set.id, { from: after })), set, limit);
  return { resources: taken, next: hasMore ? taken.at(-1)?.key : undefined };
}

/** The results of a search, as many as fit one response. */
export async function searchedResources(
  index: ResourceStates,
  set: ResourceSet,
  search: Search,
): Promise<FoundResources> {
  const { resources, next } = await index.find(set.id, search);
  const { taken, hasMore } = await take([resources], set, search.limit);
  return { resources: taken, next: hasMore ? taken.at(-1)?.key : next };
}

/**
 * The newest changes below a boundary that fit one response.
 * @param read as `latest` and `history` of an index
 */
export function newestChanges(
  set: ResourceSet,
  { before, limit }: HistoryRange,
  read: (range: HistoryRange) => Promise<readonly Change[]>,
): Promise<Taken<Change>> {
  return take(inSlices(read, { before, limit: Math.min(limit + 1, SLICE) }), set, limit);
}

/**
 * The newest changes of a range that match a filter, and the boundary at which to continue; undefined when the whole
 * range was searched. May return no change together with a boundary.
 * @param fits undefined for every change
 */
export async function filteredChanges(
  set: ResourceSet,
  { fits, limit, ...range }: LatestRange & { readonly fits: ((change: Change) => boolean) | undefined },
  read: (range: LatestRange) => Promise<readonly Change[]>,
): Promise<{ readonly changes: readonly Change[]; readonly next: Stamp | undefined }> {
  let searched = 0;
  let last: Stamp | undefined;
  const readInRange = ({ before, limit: most }: HistoryRange) => read({ ...range, before, limit: most });
  async function* fitting() {
    const slices = inSlices(readInRange, {
      before: range.before,
      limit: fits === undefined ? Math.min(limit + 1, SLICE) : SLICE,
    });
    for await (const changes of slices) {
      yield fits === undefined ? changes : changes.filter(fits);
      searched += changes.length;
      if (searched < MOST_SEARCHED) continue;
      last = changes.at(-1)!.stamp;
      return;
    }
  }
  const { taken, hasMore } = await take(fitting(), set, limit);
  if (hasMore) last = taken.at(-1)!.stamp;
  return { changes: taken, next: last === undefined ? undefined : boundaryBefore(last) };
}

async function* inSlices(read: (range: HistoryRange) => Promise<readonly Change[]>, { before, limit }: HistoryRange) {
  for (let below = before; ; ) {
    const changes = await read({ before: below, limit });
    yield changes;
    if (changes.length < limit) return;
    below = boundaryBefore(changes.at(-1)!.stamp);
  }
}

/** Removes the resource `after`, at which the range begins: the previous response contained it. */
async function* without(after: string | undefined, batches: AsyncIterable<readonly Resource[]>) {
  for await (const batch of batches) yield batch.filter(({ key }) => key !== after);
}
