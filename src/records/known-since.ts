import type { Catalog } from '../stores/catalog.ts';
import type { Organization } from './organization.ts';

/**
 * The time when an organization was made, in milliseconds since 1970; Infinity for one that this store does not have.
 * Files of it that are older are of another store: one that was lost, or that uses the same place by mistake. Only this
 * store can know which of its files are unused.
 */
export async function knownSince(catalog: Pick<Catalog, 'get'>, organization: string): Promise<number> {
  const found = await catalog.get<Organization>('organization', organization);
  return found?.body.created ?? Number.POSITIVE_INFINITY;
}
