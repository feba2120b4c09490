import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { requestIdOf } from '../request/observation.ts';
import { prefersPage } from '../request/prefers-page.ts';
import { type ErrorAnswer, errorAnswer, logFault, withRequestId } from './error-answer.ts';

/** Milliseconds in which a client may go on sending a body that is not read. */
const UNWANTED_BODY_TIME = 5000;

const HEADERS_OF_A_BODY = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'ETag',
  'Last-Modified',
  'Accept-Ranges',
];

/** Answers a person with a page that shows an error. It does not fail. */
export type ShowErrorPage = (request: Request, response: Response, answer: ErrorAnswer) => void;

/** Answers for every route when it failed, and logs what is the server's fault, once. */
export function errorHandler(logger: Logger, showPage: ShowErrorPage) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    // The client went away, so no answer can be sent, and nothing is wrong here.
    if (request.socket.destroyed) return;
    const answer = errorAnswer(error);
    const requestId = requestIdOf(response);
    logFault(logger, error, { requestId, method: request.method, url: request.originalUrl });
    if (response.writableEnded) return;
    if (response.headersSent || response.destroyed) {
      // Cutting the connection is the only way left to say that the answer is not complete.
      response.destroy();
      return;
    }
    for (const name of HEADERS_OF_A_BODY) response.removeHeader(name);
    const body = withRequestId(answer.body, requestId);
    response.status(answer.status).set(answer.headers).set('Cache-Control', 'no-store');
    if (prefersPage(request.headers.accept) && !request.path.startsWith('/api/')) showPage(request, response, answer);
    else response.json(body);
    limitUnwantedBody(request);
  };
}

/** Node reads and drops the rest of a body, so that the client sees the answer; but not for ever. */
export function limitUnwantedBody(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.destroy(), UNWANTED_BODY_TIME).unref();
  request.once('end', () => clearTimeout(timer));
}
