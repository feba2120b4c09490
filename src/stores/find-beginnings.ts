import type { KeyRange, ResourceKey } from '../core/key.ts';
import type { Resource } from '../core/resource.ts';
import type { FoundResources, Search } from './resource-states.ts';

/** Between a key and all that is longer, and after all of that. */
const ABOVE = '\u0001';
const END = '\u007f';

/**
 * Finds live resources whose keys have one of several beginnings.
 * @param beginnings ascending; none is the beginning of another one
 * @param read the live resources of a range
 */
export async function findBeginnings(
  beginnings: readonly ResourceKey[],
  { after, limit }: Omit<Search, 'part'>,
  read: (range: KeyRange) => AsyncIterable<readonly Resource[]>,
): Promise<FoundResources> {
  const found: Resource[] = [];
  for (const beginning of beginnings) {
    const from = after === undefined || after < beginning ? beginning : after + ABOVE;
    for await (const resources of read({ from, to: beginning + END })) {
      found.push(...resources);
      if (found.length > limit) return firstOf(found, limit);
    }
  }
  return firstOf(found, limit);
}

/** The first resources. One more than the limit shows that there are more. */
export function firstOf(found: readonly Resource[], limit: number): FoundResources {
  if (found.length <= limit) return { resources: found, next: undefined };
  return { resources: found.slice(0, limit), next: found[limit - 1]!.key };
}
