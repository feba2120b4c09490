import { traitsOf } from '../core/origin.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { ContentRoot, LeavesOut } from '../sources/content-root.ts';

interface Roots {
  rootOf(set: ResourceSet): { readonly root: ContentRoot };
}

/**
 * The exclusions of a set's root, which also apply to posted events; undefined for a set without a root.
 * @throws TidemarkError `unavailable` when that cannot be known
 */
export async function leftOutOf(set: ResourceSet, roots: Roots): Promise<LeavesOut | undefined> {
  return traitsOf(set.origin).root === undefined ? undefined : roots.rootOf(set).root.leavesOut();
}
