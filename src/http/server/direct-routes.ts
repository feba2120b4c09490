import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { observationOf } from '../request/observation.ts';
import { sendAnswer } from '../response/send-answer.ts';
import type { DirectAnswers, MatchedRequest } from './direct-answers.ts';
import { requireHost } from './host-header.ts';
import { requirePath } from './request-target.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

export interface DirectParts {
  readonly direct: DirectAnswers;
  /** Handles all other requests. */
  readonly express: RequestListener;
  /** Milliseconds for which a client may read nothing of a response. */
  readonly idleTimeoutMs: number;
}

/**
 * Handles requests of node:http: those with a direct route directly, all others by express. Every error ends here: one
 * that no code handles would end the process.
 */
export function directRoutes({ direct, express, idleTimeoutMs }: DirectParts): RequestListener {
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requireHost(request);
    requirePath(request);
    markProxy(request);
    const matched = matchedRequest(request, response);
    const match = direct.match(matched.method, matched.url, matched.headers);
    if (match === undefined) express(request, response);
    else await sendAnswer(response, await direct.answer(match, matched), idleTimeoutMs);
  }

  async function respondToFailure(error: unknown, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const failure = direct.failure(error, matchedRequest(request, response));
    // Cutting the connection is the only remaining way to show that the response is incomplete.
    if (response.headersSent) response.destroy();
    else await sendAnswer(response, failure, idleTimeoutMs);
  }

  return (request, response) => {
    response.setHeader('X-Request-Id', observationOf(response)!.id);
    for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
    respond(request, response)
      .catch((error: unknown) => respondToFailure(error, request, response))
      .catch(() => response.destroy());
  };
}

/**
 * Names the proxy that a request of HTTP/1.0 came through, as the proxy should have done (RFC 9110, 7.6.3): nginx with
 * `proxy_pass` alone sends HTTP/1.0, the Host of this server, and no header of a proxy. Other present clients of
 * HTTP/1.0 are rare.
 */
function markProxy({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion === '1.0') headers.via ??= '1.0 unnamed';
}

function matchedRequest(
  { method, url = '', headers, socket }: IncomingMessage,
  response: ServerResponse,
): MatchedRequest {
  return { method, url, headers, address: socket.remoteAddress, observation: observationOf(response)! };
}
