import type { ClientRequest, IncomingMessage } from 'node:http';

/**
 * The response to a request.
 * @throws the error of the request; also when its connection is closed without a response, as by a server that switches
 *   to another protocol: Node reports that only by `close`
 */
export function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once('response', resolve).on('error', reject);
  request.once('close', () => reject(new Error('it closed the connection without an answer')));
  return promise;
}
