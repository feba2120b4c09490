import { may } from '../../access/may.ts';
import type { OrganizationReader } from '../../api/organization-view.ts';
import { type OverviewOrder, type OverviewRow, overviewRows } from '../../api/overview-view.ts';
import type { Organization } from '../../records/organization.ts';
import { readersOf } from '../../records/organization-readers.ts';
import type { OrganizationRegistry } from '../../records/organization-registry.ts';
import type { Overview } from '../../records/overview/overview.ts';
import { type RoutedResponse, senderOf } from '../request/admitted.ts';
import { makePrivate } from './caching.ts';

/** The organizations that the sender may read, ascending by id. The response is only for the sender. */
export async function shownOrganizations(
  organizations: Pick<OrganizationRegistry, 'list'>,
  response: RoutedResponse,
): Promise<readonly Organization[]> {
  makePrivate(response);
  const sender = senderOf(response);
  return (await organizations.list()).filter((one) => may(sender, 'read-organization', readersOf(one)));
}

/** The state of the organizations that the sender manages. */
export async function managedOverview(
  overview: Pick<Overview, 'read'>,
  response: RoutedResponse,
  order: OverviewOrder,
): Promise<readonly OverviewRow[]> {
  makePrivate(response);
  const sender = senderOf(response);
  return overviewRows(await overview.read((one) => may(sender, 'manage-organization', readersOf(one))), order);
}

/** E-mail addresses of contacts are not public. */
export function readerOf(response: RoutedResponse, organization: Organization): OrganizationReader {
  const sender = senderOf(response);
  return {
    seesAddresses: sender.kind !== 'anonymous',
    manages: may(sender, 'manage-organization', readersOf(organization)),
  };
}
