import type { IncomingMessage } from 'node:http';
import parseRange from 'range-parser';
import type { RoutedResponse } from '../request/admitted.ts';
import { HttpError } from '../request/http-error.ts';
import { setCaching } from './caching.ts';
import { rangeHolds, type Validators, weighConditions } from './conditional-request.ts';
import { setNotModified } from './not-modified.ts';

const UNKNOWN_TYPE = 'application/octet-stream';

export interface Body {
  /** Bytes of all of it. */
  readonly length: number;
  readonly mime: string | undefined;
  readonly validators: Validators;
}

/** Bytes that are to follow. */
export interface Part {
  readonly start: number;
  readonly length: number;
}

/**
 * Answers all of a resource but its body: the range of bytes that is to follow, or undefined for a 304.
 * @throws HttpError 412 for a condition that does not hold, 416 for a range beyond the end
 */
export function answerHead(
  request: IncomingMessage,
  response: RoutedResponse,
  { length: total, mime, validators }: Body,
) {
  const { etag, lastModified } = validators;
  response.setHeader('ETag', etag);
  response.setHeader('Accept-Ranges', 'bytes');
  if (lastModified !== undefined) response.setHeader('Last-Modified', new Date(lastModified * 1000).toUTCString());
  setCaching(response, 'no-cache');
  const precondition = weighConditions(request.headers, validators);
  if (precondition === 'failed') {
    throw new HttpError(412, { code: 'precondition-failed', message: 'the resource has another version' });
  }
  if (precondition === 'not-modified') {
    setNotModified(response);
    return undefined;
  }
  const part = rangeOf(request, response, { total, validators });
  response.setHeader('Content-Type', mime ?? UNKNOWN_TYPE);
  response.setHeader('Content-Length', String(part.length));
  return part;
}

/** One range is answered with 206; several, or a header that is no range, with the whole (RFC 9110, 14.2). */
function rangeOf(
  request: IncomingMessage,
  response: RoutedResponse,
  { total, validators }: { readonly total: number; readonly validators: Validators },
): Part {
  const whole = { start: 0, length: total };
  const header = request.headers.range;
  if (header === undefined || request.method !== 'GET' || !rangeHolds(request.headers, validators)) return whole;
  const ranges = parseRange(total, header, { combine: true });
  if (ranges === -1) {
    const headers = { 'Content-Range': `bytes */${total}` };
    throw new HttpError(416, { code: 'bad-range', message: `the resource has only ${total} bytes`, headers });
  }
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return whole;
  const { start, end } = ranges[0]!;
  response.statusCode = 206;
  response.setHeader('Content-Range', `bytes ${start}-${end}/${total}`);
  return { start, length: end - start + 1 };
}
