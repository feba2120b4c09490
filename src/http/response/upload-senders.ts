import { shownAddress } from '../../access/client-address.ts';
import { may } from '../../access/may.ts';
import type { SeenOfSenders } from '../../api/sender-view.ts';
import type { Sender } from '../../records/arrivals/upload.ts';
import { readersOf } from '../../records/organization-readers.ts';
import { organizationOf, type RoutedRequest, type RoutedResponse, senderOf } from '../request/admitted.ts';

/** The sender of a request, as it is stored with an upload. */
export function sentBy({ headers, socket }: RoutedRequest, response: RoutedResponse): Sender {
  const sender = senderOf(response);
  return {
    ...(sender.kind === 'token' && { token: sender.id, name: sender.name }),
    ...(sender.kind === 'administrator' && { name: sender.kind }),
    address: shownAddress(headers, socket.remoteAddress),
  };
}

/** What the sender of a request sees of those who sent uploads to the organization in its path. */
export function seesSenders(response: RoutedResponse): SeenOfSenders {
  const about = readersOf(organizationOf(response));
  if (may(senderOf(response), 'manage-organization', about)) return 'all';
  return may(senderOf(response), 'upload-files', about) ? 'names' : 'none';
}
