import type { KeyRange, ResourceKey } from '../core/key.ts';
import type { Resource } from '../core/resource.ts';
import type { FoundResources, Search } from './resource-states.ts';

/** `ABOVE` sorts between a key and all longer keys with it as prefix, `END` after all of these. */
const ABOVE = '\u0001';
const END = '\u007f';

/**
 * Finds live resources whose keys have one of several prefixes.
 * @param beginnings ascending; none is a prefix of another
 * @param read reads the live resources of a range
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

/** The resources up to the limit. One more than the limit shows that there are more. */
export function firstOf(found: readonly Resource[], limit: number): FoundResources {
  if (found.length <= limit) return { resources: found, next: undefined };
  return { resources: found.slice(0, limit), next: found[limit - 1]!.key };
}
