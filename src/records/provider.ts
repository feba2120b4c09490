import { unlessConflict } from '../core/errors.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { Organization } from './organization.ts';

/**
 * Makes the document of a provider, if it has none: an organization that is private, and has no sets until it gets a
 * stream. Its id may be one that organizations with streams cannot have.
 */
export async function ensureProvider(catalog: Pick<Catalog, 'get' | 'put'>, id: string): Promise<void> {
  if ((await catalog.get('organization', id)) !== undefined) return;
  const body: Organization = { id, created: Date.now(), contacts: [], private: true, withoutSets: true, streams: [] };
  await unlessConflict(catalog.put('organization', id, body, undefined));
}
