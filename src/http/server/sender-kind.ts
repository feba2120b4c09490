import type { IncomingMessage } from 'node:http';
import type { AccessPolicy } from '../../access/access-policy.ts';
import { isLoopback } from '../../access/loopback.ts';
import { isProxied } from '../../access/proxied.ts';

/**
 * All that access/identify.ts goes by for a request that shows no token, as a text: at one moment of the stores, requests with the same one
 * have the same sender. Undefined for a request that shows something, which is looked at each time.
 */
export function senderKind({ headers, socket }: IncomingMessage, { mode }: AccessPolicy): string | undefined {
  if (headers.authorization !== undefined || headers.cookie !== undefined) return undefined;
  if (mode !== 'local') return '';
  const isNear = isLoopback(socket.remoteAddress ?? '');
  return `${isProxied(headers) ? 'proxied' : 'direct'} ${isNear ? 'near' : 'far'} ${headers.host ?? ''}`;
}
