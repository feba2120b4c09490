import { TidemarkError } from '../../core/errors.ts';
import { type ResourceKey, resolveLocation } from '../../core/key.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { DocumentPublisher, ListedPage } from '../../publish/document-publisher.ts';

interface NamedResource {
  readonly uri?: string | undefined;
  readonly key?: string | undefined;
}

/** The page of the Resource List that has a resource; undefined while its set is read for the first time. */
export async function listedPage(
  publisher: Pick<DocumentPublisher, 'pageOf'>,
  { slug, ready }: ResourceSet,
  key: ResourceKey,
): Promise<ListedPage | undefined> {
  return ready ? publisher.pageOf(slug, key) : undefined;
}

/** The key of the resource in a query. @throws TidemarkError `invalid` */
export function keyOf({ uri, key }: NamedResource, set: ResourceSet): ResourceKey {
  if (uri !== undefined) return resolveLocation({ value: uri, type: 'url' }, set, 'uri');
  if (key !== undefined) return key;
  throw new TidemarkError('invalid', 'name the resource by uri= or key=', { code: 'bad-query', field: 'uri' });
}
