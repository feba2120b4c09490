import type { RequestListener, ServerResponse } from 'node:http';
import { observationOf } from '../request/observation.ts';
import { sendAnswer } from '../response/send-answer.ts';
import type { DirectAnswers, Match, MatchedRequest } from './direct-answers.ts';
import { hostFault } from './host-header.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

export interface DirectParts {
  readonly direct: DirectAnswers;
  /** Handles all other requests. */
  readonly express: RequestListener;
  /** Milliseconds for which a client may read nothing of a response. */
  readonly idleTimeoutMs: number;
}

/** Handles requests of node:http: those with a direct route directly, all others by express. */
export function directRoutes({ direct, express, idleTimeoutMs }: DirectParts): RequestListener {
  async function answer(match: Match, request: MatchedRequest, response: ServerResponse): Promise<void> {
    try {
      await sendAnswer(response, await direct.answer(match, request), idleTimeoutMs);
    } catch (error) {
      const failure = direct.failure(error, request);
      // Cutting the connection is the only remaining way to show that the response is incomplete.
      if (response.headersSent) response.destroy();
      else await sendAnswer(response, failure, idleTimeoutMs);
    }
  }

  return (request, response) => {
    const observation = observationOf(response)!;
    response.setHeader('X-Request-Id', observation.id);
    for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
    const { method, url = '', headers, socket } = request;
    const matched = { method, url, headers, address: socket.remoteAddress, observation };
    const match = direct.match(method, url, headers);
    const fault = hostFault(request);
    if (fault !== undefined) void sendAnswer(response, direct.failure(fault, matched), idleTimeoutMs);
    else if (match === undefined) express(request, response);
    else void answer(match, matched, response);
  };
}
