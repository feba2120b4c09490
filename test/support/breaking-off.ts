import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answering } from './served-source.ts';

export interface BreakingOff {
  /** Bytes after which each connection breaks. */
  readonly after: number;
  readonly hasEtag?: boolean;
  /** Most bytes of a rest that is requested; the connection does not break there (RFC 9110, 15.3.7). */
  readonly part?: number;
  /** Where the headers of requests are gathered. */
  readonly requests?: IncomingHttpHeaders[];
}

/** Sends bytes over a bad line: only so many at a time, with the rest on request (RFC 9110, 14.2 and 13.1.5). */
export function breakingOff(
  bytes: Buffer,
  { after, hasEtag = true, part = bytes.length, requests = [] }: BreakingOff,
): Answering {
  const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
  return ({ headers }, response) => {
    requests.push(headers);
    const range = headers['if-range'] === etag ? /^bytes=(\d+)-$/.exec(headers.range ?? '') : null;
    const start = range === null ? 0 : Number(range[1]);
    const last = range === null ? bytes.length : Math.min(bytes.length, start + part);
    const named = { 'content-length': last - start, ...(hasEtag && { etag }) };
    if (range === null) response.writeHead(200, named);
    else response.writeHead(206, { ...named, 'content-range': `bytes ${start}-${last - 1}/${bytes.length}` });
    const end = start + after;
    if (end >= last) response.end(bytes.subarray(start, last));
    else response.write(bytes.subarray(start, end), () => setImmediate(() => response.destroy()));
  };
}
