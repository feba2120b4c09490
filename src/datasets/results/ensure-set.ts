import { TidemarkError, unlessConflict } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';

/** The set that publishes datasets unless a request names another one. */
export const DEFAULT_SET = 'datasets';
const TITLE = 'Datasets';

/**
 * The set of datasets with a slug, which is made when it is missing.
 * @throws TidemarkError `invalid` for a slug that no set can have; `not-found` before the source has a base URL;
 *   `conflict` when it has another origin; `gone` when it was removed
 */
export async function ensureSet(
  sets: Pick<SetRegistry, 'list' | 'add' | 'bySlug'>,
  slug: string,
): Promise<ResourceSet> {
  const isMissing = !(await sets.list()).some((set) => set.slug === slug);
  const title = slug === DEFAULT_SET ? TITLE : undefined;
  const made = isMissing ? await unlessConflict(sets.add({ slug, title, origin: { kind: 'datasets' } })) : undefined;
  // Another process may have made it, and it may be the former name of another one.
  const set = made ?? (await sets.bySlug(slug));
  if (set.origin.kind === 'datasets') return set;
  const message = `the set "${slug}" is not one of datasets: name another one with --set ID, which is made if it is missing`;
  throw new TidemarkError('conflict', message, { field: 'set' });
}
