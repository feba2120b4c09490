import type { Answer } from '../request/answer.ts';
import type { DirectRequest } from '../request/direct-request.ts';
import { HttpError } from '../request/http-error.ts';
import { type CacheControl, cachingHeaders } from './caching.ts';
import { rangeHolds, type Validators, weighConditions } from './conditional-request.ts';
import { notModified } from './not-modified.ts';
import { openToScripts } from './open-to-scripts.ts';

const UNKNOWN_TYPE = 'application/octet-stream';
/** From one byte on, possibly up to another one; or a number of last bytes (RFC 9110, 14.1.2). */
const ONE_RANGE = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i;

export interface Body {
  /** Length of the whole in bytes. */
  readonly length: number;
  readonly mime: string | undefined;
  readonly validators: Validators;
  readonly isPrivate: boolean;
  /** How long it may be cached; by default it is revalidated each time. */
  readonly control?: CacheControl;
  /** The header of the request on which the response depends. */
  readonly vary?: string | undefined;
}

/** The range of bytes of the body. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** A response without its body, and the bytes of its body, if there are any. */
interface AnswerHead extends Answer {
  readonly part?: ByteRange;
}

/**
 * The response for a resource, without its body.
 * @throws HttpError 412 for a condition that is false, 416 for a range beyond the end
 */
export function answerHead(
  { method, headers, sender }: Pick<DirectRequest, 'method' | 'headers' | 'sender'>,
  { length: total, mime, validators, isPrivate, control = 'no-cache', vary }: Body,
): AnswerHead {
  const { etag, lastModified } = validators;
  const known: Record<string, string> = {
    ETag: etag,
    ...cachingHeaders({ control, isPrivate, vary }),
    ...openToScripts({ sender }, isPrivate),
  };
  if (lastModified !== undefined) known['Last-Modified'] = new Date(lastModified * 1000).toUTCString();
  const precondition = weighConditions(headers, validators);
  if (precondition === 'failed') {
    throw new HttpError(412, { code: 'precondition-failed', message: 'the resource has another version' });
  }
  if (precondition === 'not-modified') return notModified(known);
  const range = method === 'GET' ? rangeOf(headers, { total, validators }) : undefined;
  known['Accept-Ranges'] = 'bytes';
  known['Content-Type'] = mime ?? UNKNOWN_TYPE;
  const { start, length } = range ?? { start: 0, length: total };
  known['Content-Length'] = String(length);
  if (range !== undefined) known['Content-Range'] = `bytes ${start}-${start + length - 1}/${total}`;
  const status = range === undefined ? 200 : 206;
  return method === 'HEAD' || length === 0
    ? { status, headers: known }
    : { status, headers: known, part: { start, length } };
}

/** For one range of bytes the response is 206; for several, or an invalid header, it is the whole (RFC 9110, 14.2). */
function rangeOf(
  headers: DirectRequest['headers'],
  { total, validators }: { readonly total: number; readonly validators: Validators },
): ByteRange | undefined {
  const found = ONE_RANGE.exec(headers.range ?? '');
  if (found === null || !rangeHolds(headers, validators)) return undefined;
  const [, first, last, suffix] = found;
  if (last && Number(last) < Number(first)) return undefined;
  const start = suffix === undefined ? Number(first) : Math.max(0, total - Number(suffix));
  const end = last ? Math.min(Number(last) + 1, total) : total;
  if (start < end) return { start, length: end - start };
  throw new HttpError(416, {
    code: 'bad-range',
    message: `the resource has only ${total} bytes`,
    headers: { 'Content-Range': `bytes */${total}` },
  });
}
