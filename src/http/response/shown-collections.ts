import type { Collection } from '../../records/collections/collection.ts';
import type { RoutedResponse } from '../request/admitted.ts';
import type { ServedApp } from '../request/served-app.ts';
import { shownOrganizations } from './shown-organizations.ts';

type Parts = Pick<ServedApp['records'], 'collections' | 'organizations'>;

/** The collections of providers that the sender may read, ascending by id. The response is only for the sender. */
export async function shownCollections(
  { collections, organizations }: Parts,
  response: RoutedResponse,
): Promise<readonly Collection[]> {
  const providers = new Set((await shownOrganizations(organizations, response)).map(({ id }) => id));
  return (await collections.list()).filter(({ provider }) => providers.has(provider));
}
