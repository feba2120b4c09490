interface Problem {
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Plain values for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An error of the HTTP request itself; errors of its subject are TidemarkErrors. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, { code, message, headers = {}, details = {} }: Problem) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.details = details;
  }
}

/** Requests a token; a browser asks its user for it. */
export function unauthorized(reason: string): HttpError {
  return new HttpError(401, {
    code: 'unauthorized',
    message: reason,
    headers: { 'WWW-Authenticate': ['Bearer realm="tidemark"', 'Basic realm="tidemark", charset="UTF-8"'] },
  });
}

/** The same error with another status; other errors are returned as they are. */
export function asBusy(error: unknown): unknown {
  if (!(error instanceof HttpError) || error.status !== 429) return error;
  const { code, message, headers, details } = error;
  return new HttpError(503, { code, message, headers, details });
}

/** @param milliseconds after which the sender may try again */
export function tooManyRequests(milliseconds: number): HttpError {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new HttpError(429, {
    code: 'too-many-requests',
    message: `this is more than is let through in a minute: go on after ${seconds} s`,
    headers: { 'Retry-After': String(seconds) },
    details: { retryAfter: seconds },
  });
}
