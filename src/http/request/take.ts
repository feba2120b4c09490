import { entryWeight } from '../../core/entry-weight.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';

/** Bytes: a response is one string in memory. 10,000 entries of usual size take less. */
const MOST_WEIGHT = 8 * 1024 * 1024;

/** For the descriptions of operations that answer with what `take` returns. */
export const MAY_BE_SHORTER =
  'An answer has fewer entries than `limit` when they have some 8 MB: go on with `next`, as long as there is one.';

interface Entry {
  readonly key: string;
  readonly state: ResourceState | undefined;
}

export interface Taken<Item> {
  readonly taken: readonly Item[];
  readonly hasMore: boolean;
}

/**
 * The first entries of a set that fit one response: at most `limit`, and fewer when they are large, but at least one.
 * Later batches are not read.
 */
export async function take<Item extends Entry>(
  batches: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  { urlPrefix }: Pick<ResourceSet, 'urlPrefix'>,
  limit: number,
): Promise<Taken<Item>> {
  const taken: Item[] = [];
  let weight = 0;
  for await (const batch of batches) {
    for (const entry of batch) {
      weight += entryWeight(urlPrefix, entry.key, entry.state);
      if (taken.length === limit || (taken.length > 0 && weight > MOST_WEIGHT)) return { taken, hasMore: true };
      taken.push(entry);
    }
  }
  return { taken, hasMore: false };
}
