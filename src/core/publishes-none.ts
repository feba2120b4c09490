import { traitsOf } from './origin.ts';
import type { ResourceSet } from './resource-set.ts';

/** Why a set publishes no versions, and how to change that, if possible. */
export function publishesNone({ slug, origin, keepVersions }: Pick<ResourceSet, 'slug' | 'origin' | 'keepVersions'>) {
  const { source, reasonForNoVersions } = traitsOf(origin);
  if (source === undefined) return `"${slug}" publishes no versions: the bytes of its resources are elsewhere`;
  if (reasonForNoVersions !== undefined) return `"${slug}" publishes no versions: ${reasonForNoVersions}`;
  if (keepVersions) return `"${slug}" publishes no versions before its next full scan: run "tidemark scan ${slug}"`;
  return `"${slug}" publishes no versions: "tidemark sets change ${slug} --keep-versions" and a full scan let it`;
}
