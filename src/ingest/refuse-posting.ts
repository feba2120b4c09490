import { TidemarkError } from '../core/errors.ts';
import { traitsOf } from '../core/origin.ts';
import type { ResourceSet } from '../core/resource-set.ts';

/**
 * Refuses posting to a set that mirrors a source: the next sync would undo posted changes, or publish resources without
 * bytes.
 * @throws TidemarkError `conflict`
 */
export function refusePosting({ slug, origin }: ResourceSet): void {
  const { refusal, records } = traitsOf(origin);
  if (refusal === undefined) return;
  throw new TidemarkError('conflict', `nobody posts to "${slug}": ${refusal}`, { set: slug, records });
}
