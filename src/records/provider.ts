import { unlessConflict } from '../core/errors.ts';
import type { Catalog } from '../stores/catalog.ts';
import { type Organization, wasRemoved } from './organization.ts';

/**
 * Makes the document of a provider, if it has none: an organization that has no sets until it gets a stream. Its id may
 * be one that organizations with streams cannot have.
 * @param access private, unless the sets of its collections are to be public as other sets are
 * @throws TidemarkError `conflict` when it was removed
 */
export async function ensureProvider(
  catalog: Pick<Catalog, 'get' | 'put'>,
  id: string,
  access: Pick<Organization, 'private'> = { private: true },
): Promise<void> {
  const before = await catalog.get<Organization>('organization', id);
  if (before?.body.removed !== undefined) throw wasRemoved(id);
  if (before !== undefined) return;
  const body: Organization = { id, created: Date.now(), contacts: [], ...access, withoutSets: true, streams: [] };
  await unlessConflict(catalog.put('organization', id, body, undefined));
}
