import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { type ErrorCode, TidemarkError } from '../../core/errors.ts';
import { withoutPaths } from '../../core/without-paths.ts';
import { HttpError } from '../request/http-error.ts';
import { loggedPath } from '../request/logged-path.ts';
import { requestIdOf } from '../request/observation.ts';
import { prefersPage } from '../request/prefers-page.ts';

/** Milliseconds in which a client may go on sending a body that is not read. */
const UNWANTED_BODY_TIME = 5000;

const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  gone: 410,
  'not-ready': 503,
  unavailable: 503,
  incompatible: 503,
};
const RETRY_AFTER: Readonly<Partial<Record<ErrorCode, string>>> = { 'not-ready': '2', unavailable: '10' };

const HEADERS_OF_A_BODY = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'ETag',
  'Last-Modified',
  'Accept-Ranges',
];

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: { readonly error: Readonly<Record<string, unknown>> };
}

/** Turns an error into an answer, without details when the error is unexpected. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof TidemarkError) {
    const { code } = error;
    const status = STATUS[code];
    const { message, details } = status >= 500 ? withoutPaths(error) : error;
    const retryAfter = RETRY_AFTER[code];
    return {
      status,
      headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
      // A detail may be called code as well, and is then more exact.
      body: { error: { code, message, ...details } },
    };
  }
  if (error instanceof HttpError) {
    const { status, headers, code, message, details } = error;
    return { status, headers, body: { error: { code, message, ...details } } };
  }
  if (isUndecodable(error)) {
    const message = 'the path has percent-encoded bytes that are not UTF-8';
    return { status: 400, headers: {}, body: { error: { code: 'bad-path', message, field: 'path' } } };
  }
  return { status: 500, headers: {}, body: { error: { code: 'internal', message: 'an unexpected error' } } };
}

/** A person can report the id of a request that failed; the logs have it, too. */
function withRequestId({ error }: ErrorAnswer['body'], requestId: string | undefined): ErrorAnswer['body'] {
  return { error: requestId === undefined ? error : { ...error, requestId } };
}

/** Answers a person with a page that shows an error. It does not fail. */
export type ShowErrorPage = (request: Request, response: Response, answer: ErrorAnswer) => void;

/** Answers for every route when it failed, and logs what is the server's fault, once. */
export function errorHandler(logger: Logger, showPage: ShowErrorPage) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    // The client went away, so no answer can be sent, and nothing is wrong here.
    if (request.socket.destroyed) return;
    const answer = errorAnswer(error);
    if (isFault(answer)) {
      const { method, originalUrl } = request;
      const about = { requestId: requestIdOf(response), method, path: loggedPath(originalUrl) };
      logger.error({ err: error, ...about }, 'a request failed');
    }
    if (response.writableEnded) return;
    if (response.headersSent || response.destroyed) {
      // Cutting the connection is the only way left to say that the answer is not complete.
      response.destroy();
      return;
    }
    for (const name of HEADERS_OF_A_BODY) response.removeHeader(name);
    const body = withRequestId(answer.body, requestIdOf(response));
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

/** Being asked too early, or while stopping, is no fault. */
function isFault({ status, body }: ErrorAnswer): boolean {
  return status >= 500 && body.error.code !== 'not-ready' && body.error.code !== 'stopping';
}

/** The router could not decode a part of the path. */
function isUndecodable(error: unknown): boolean {
  return error instanceof URIError;
}
