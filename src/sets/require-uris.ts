import { TidemarkError } from '../core/errors.ts';
import { type ResourceKey, URI_LENGTH, uriOf } from '../core/key.ts';
import type { Resource } from '../core/resource.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { ResourceStates } from '../stores/resource-states.ts';

/**
 * Requires that every resource of a set, and every link to one, has a URI below a new prefix that a list may contain.
 * Reads the set only when a URI may be too long or too short.
 * @throws TidemarkError `conflict` with their number, and the first of them
 */
export async function requireUris(
  index: Pick<ResourceStates, 'read'>,
  { id, slug, urlPrefix: before }: ResourceSet,
  urlPrefix: string,
): Promise<void> {
  if (urlPrefix.length <= before.length && urlPrefix.length >= URI_LENGTH.least) return;
  let first: ResourceKey | undefined;
  let wrong = 0;
  for await (const batch of index.read(id, {})) {
    for (const resource of batch) {
      if (keysOf(resource).every((key) => isListable(urlPrefix, key))) continue;
      wrong += 1;
      first ??= resource.key;
    }
  }
  if (first === undefined) return;
  throw new TidemarkError(
    'conflict',
    `below ${urlPrefix}, ${wrong} of the resources of ${slug} would have URIs with fewer than 12 or more than 2,048 characters, ` +
      `their own or those of links, such as ${first.slice(0, 80)}: delete these first, or choose another prefix`,
    { set: slug, key: first },
  );
}

function keysOf({ key, state: { links = [] } }: Resource): readonly ResourceKey[] {
  return [key, ...links.map(({ href }) => href)];
}

/** URIs elsewhere stay as they are. */
function isListable(urlPrefix: string, key: ResourceKey): boolean {
  const { length } = uriOf(urlPrefix, key);
  return !key.startsWith('/') || (length >= URI_LENGTH.least && length <= URI_LENGTH.most);
}
