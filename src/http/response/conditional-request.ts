import type { IncomingHttpHeaders } from 'node:http';
import type { Seconds } from '../../core/w3c-datetime.ts';
import type { DirectRequest } from '../request/direct-request.ts';
import { parseHttpDate } from '../request/http-date.ts';

/** Validators of one version of a body. */
export interface Validators {
  /** The quoted tag of the body that would be sent. */
  readonly etag: string;
  /** Tags of the same version in other encodings: a client with one of them has this version. */
  readonly otherEtags?: readonly string[];
  readonly lastModified: Seconds | undefined;
  /** Whether any two versions have different dates; otherwise a date never leads to a 304. */
  readonly dateTellsVersions: boolean;
}

export type Precondition = 'proceed' | 'not-modified' | 'failed';

const CONDITIONS = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'];

/** Whether a request is for all bytes of any version. */
export function isForAll({ method, headers }: Pick<DirectRequest, 'method' | 'headers'>): boolean {
  return method === 'GET' && !CONDITIONS.some((name) => headers[name] !== undefined);
}

/** Evaluates the conditions of a request in the order of RFC 9110, 13.2.2. */
export function weighConditions(headers: IncomingHttpHeaders, validators: Validators): Precondition {
  const { etag, otherEtags = [], lastModified, dateTellsVersions } = validators;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!lists(ifMatch, [etag], 'strong')) return 'failed';
  } else if (isAfter(lastModified, headers['if-unmodified-since'])) return 'failed';

  const ifNoneMatch = headers['if-none-match'];
  // A shortcut for the usual case of a single tag.
  if (ifNoneMatch === etag) return 'not-modified';
  if (ifNoneMatch !== undefined) return lists(ifNoneMatch, [etag, ...otherEtags], 'weak') ? 'not-modified' : 'proceed';
  const since = parseHttpDate(headers['if-modified-since']);
  if (!dateTellsVersions || since === undefined || lastModified === undefined) return 'proceed';
  return lastModified <= since ? 'not-modified' : 'proceed';
}

/** Whether a range may be sent: If-Range, if present, must name this version (RFC 9110, 13.1.5). */
export function rangeHolds(
  headers: IncomingHttpHeaders,
  { etag, lastModified, dateTellsVersions }: Validators,
): boolean {
  const ifRange = headers['if-range'];
  if (ifRange === undefined) return true;
  if (typeof ifRange !== 'string') return false;
  if (ifRange.includes('"')) return ifRange.trim() === etag;
  const date = parseHttpDate(ifRange);
  return dateTellsVersions && date !== undefined && date === lastModified;
}

function lists(header: string, etags: readonly string[], comparison: 'weak' | 'strong'): boolean {
  if (header.trim() === '*') return true;
  for (const [, weak, tag = ''] of header.matchAll(/(W\/)?("[^"]*")/g)) {
    if ((weak === undefined || comparison === 'weak') && etags.includes(tag)) return true;
  }
  return false;
}

function isAfter(lastModified: Seconds | undefined, date: string | undefined): boolean {
  const limit = parseHttpDate(date);
  return limit !== undefined && lastModified !== undefined && lastModified > limit;
}
