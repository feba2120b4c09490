import { TidemarkError } from '../../core/errors.ts';
import { type ResourceKey, resolveLocation } from '../../core/key.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { DocumentPublisher, ListedPage } from '../../publish/document-publisher.ts';

/** Milliseconds that a person waits for the page of the list. */
const LISTED_WITHIN_MS = 500;

interface NamedResource {
  readonly uri?: string | undefined;
  readonly key?: string | undefined;
}

/** The page of the Resource List that has a resource; undefined while its set is read for the first time. */
export async function listedPage(
  publisher: Pick<DocumentPublisher, 'pageOf'>,
  { slug, ready }: Pick<ResourceSet, 'slug' | 'ready'>,
  key: ResourceKey,
): Promise<ListedPage | undefined> {
  return ready ? publisher.pageOf(slug, key) : undefined;
}

/**
 * As `listedPage`, for people; also undefined while the pages of a large list are made, which takes seconds the first
 * time. A later request has them.
 */
export function listedPageSoon(...resource: Parameters<typeof listedPage>): ReturnType<typeof listedPage> {
  return withTimeout(listedPage(...resource), LISTED_WITHIN_MS, () => undefined);
}

/** The key of the resource in a query. @throws TidemarkError `invalid` */
export function keyOf({ uri, key }: NamedResource, set: ResourceSet): ResourceKey {
  if (uri !== undefined) return resolveLocation({ value: uri, type: 'url' }, set, 'uri');
  if (key !== undefined) return key;
  throw new TidemarkError('invalid', 'name the resource by uri= or key=', { code: 'bad-query', field: 'uri' });
}
