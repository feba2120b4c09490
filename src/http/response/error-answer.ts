import type { Logger } from 'pino';
import { type ErrorCode, isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { shownToClients } from '../../core/without-paths.ts';
import type { Answer } from '../request/answer.ts';
import { HttpError } from '../request/http-error.ts';
import { loggedPath } from '../request/logged-path.ts';

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

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: { readonly error: Readonly<Record<string, unknown>> };
}

/** Converts an error to a response, without details when the error is unexpected. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof TidemarkError) {
    const { code } = error;
    const status = STATUS[code];
    const { message, details } = status >= 500 ? shownToClients(error) : error;
    const retryAfter = RETRY_AFTER[code];
    return {
      status,
      headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
      // The details may contain a more specific code.
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

/** The fields of a failed request that are logged. */
interface FailedRequest {
  readonly requestId: string | undefined;
  readonly method: string | undefined;
  readonly url: string;
}

/**
 * Logs an error when it is the server's fault. Requests that come too early, or during a stop, are not faults. That a
 * file, a bucket or the store cannot be used is expected at times: its message says all, without a stack.
 */
export function logFault(logger: Logger, error: unknown, { requestId, method, url }: FailedRequest): void {
  const { status, body } = errorAnswer(error);
  if (status < 500 || body.error.code === 'not-ready' || body.error.code === 'stopping') return;
  const request = { requestId, method, path: loggedPath(url) };
  if (isTidemarkError(error, 'unavailable')) {
    logger.warn({ ...request, code: error.code }, `a request failed: ${error.message}`);
  } else {
    logger.error({ err: error, ...request }, 'a request failed');
  }
}

/** Adds the id of the request, which users can report; the logs contain it, too. */
export function withRequestId({ error }: ErrorAnswer['body'], requestId: string | undefined): ErrorAnswer['body'] {
  return { error: requestId === undefined ? error : { ...error, requestId } };
}

/** The response to an error for a client that does not prefer a page. */
export function failureAnswer(error: unknown, requestId: string | undefined): Answer {
  const { status, headers, body } = errorAnswer(error);
  const json = Buffer.from(JSON.stringify(withRequestId(body, requestId)));
  return {
    status,
    headers: {
      ...headers,
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(json.length),
    },
    body: json,
  };
}

/** Whether the router could not decode a part of the path. */
function isUndecodable(error: unknown): boolean {
  return error instanceof URIError;
}
