import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { requestIdOf } from '../request/observation.ts';
import { prefersPage } from '../request/prefers-page.ts';
import { type ErrorAnswer, errorAnswer, logFault, withRequestId } from './error-answer.ts';

/** Milliseconds for which a client may continue to send a body that is not read. */
const UNWANTED_BODY_TIME = 5000;

const HEADERS_OF_A_BODY = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'ETag',
  'Last-Modified',
  'Accept-Ranges',
];

/** Shows an error as a page. */
export type ShowErrorPage = (request: Request, response: Response, answer: ErrorAnswer) => Promise<void>;

/** Responds to errors of all routes, and logs the server's faults, once. */
export function errorHandler(logger: Logger, showPage: ShowErrorPage) {
  return async (error: unknown, request: Request, response: Response, _next: NextFunction): Promise<void> => {
    // The client has disconnected, so no response can be sent, and there is no fault.
    if (request.socket.destroyed) return;
    const answer = errorAnswer(error);
    const requestId = requestIdOf(response);
    const failed = { requestId, method: request.method, url: request.originalUrl };
    logFault(logger, error, failed);
    if (response.writableEnded) return;
    if (response.headersSent || response.destroyed) {
      // Cutting the connection is the only remaining way to show that the response is incomplete.
      response.destroy();
      return;
    }
    for (const name of HEADERS_OF_A_BODY) response.removeHeader(name);
    const body = withRequestId(answer.body, requestId);
    response.status(answer.status).set(answer.headers).set('Cache-Control', 'no-store');
    limitUnwantedBody(request);
    if (prefersPage(request.headers.accept) && !request.path.startsWith('/api/')) {
      try {
        await showPage(request, response, answer);
        return;
      } catch (pageError) {
        // Without its page, the client still gets the error.
        logFault(logger, pageError, failed);
        if (response.headersSent) {
          response.destroy();
          return;
        }
      }
    }
    response.json(body);
  };
}

/** Node reads and drops the rest of a body, so that the client gets the response; this limits the time for that. */
export function limitUnwantedBody(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.destroy(), UNWANTED_BODY_TIME).unref();
  request.once('end', () => clearTimeout(timer));
}
