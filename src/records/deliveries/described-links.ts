import { isTidemarkError } from '../../core/errors.ts';
import { type ResourceKey, resolveTarget } from '../../core/key.ts';
import type { Link } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';

/** RFC 6892: a record of metadata has it to what it is about. */
const REL = 'describes';
const NONE: readonly Link[] = [];

/**
 * The links of a record to what it describes.
 * @param described URIs as the record has them; those that no list can contain are left out
 */
export function linksToDescribed(described: readonly string[], set: Pick<ResourceSet, 'urlPrefix'>): readonly Link[] {
  if (described.length === 0) return NONE;
  const hrefs = new Set(described.flatMap((uri) => targetOf(uri, set) ?? []));
  return [...hrefs].map((href) => ({ rel: REL, href }));
}

function targetOf(uri: string, { urlPrefix }: Pick<ResourceSet, 'urlPrefix'>): ResourceKey | undefined {
  try {
    return resolveTarget({ value: uri, type: 'url' }, { urlPrefix });
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) return undefined;
    throw error;
  }
}
