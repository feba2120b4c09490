import { TidemarkError, unlessNotFound } from '../../core/errors.ts';
import type { Collection } from '../../records/collections/collection.ts';
import type { Organization } from '../../records/organization.ts';
import type { ServedApp } from '../request/served-app.ts';

type Parts = Pick<ServedApp['records'], 'collections' | 'organizations'>;

/**
 * A collection of a provider that the sender may read. One of another provider is treated as if it had never existed.
 * @throws TidemarkError `not-found`
 */
export async function shownCollection(
  { collections, organizations }: Parts,
  id: string,
  isShown: (provider: Organization) => boolean,
): Promise<{ readonly collection?: Collection; readonly provider?: Organization }> {
  const collection = await unlessNotFound(collections.get(id));
  const provider = collection && (await unlessNotFound(organizations.get(collection.provider, isShown)));
  if (collection !== undefined && provider !== undefined) return { collection, provider };
  // Without the nearest name: that might be one which the sender may not know of.
  const message = `there is no collection ${JSON.stringify(id.slice(0, 100))}`;
  throw new TidemarkError('not-found', message, { collection: id });
}
