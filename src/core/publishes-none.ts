import { traitsOf } from './origin.ts';
import type { ResourceSet } from './resource-set.ts';

/** Why a set publishes no versions, and how to change that, if possible. */
export function publishesNone({ slug, origin }: Pick<ResourceSet, 'slug' | 'origin'>): string {
  const { source, stream, entry } = traitsOf(origin);
  if (source === undefined) return `"${slug}" publishes no versions: the bytes of its resources are elsewhere`;
  if (stream !== undefined && entry === 'file') {
    return `"${slug}" publishes no versions: none of its files ever changes`;
  }
  return `"${slug}" publishes no versions: "tidemark sets change ${slug} --keep-versions" and a full scan let it`;
}
