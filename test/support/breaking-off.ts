import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answering } from './served-source.ts';

export interface BreakingOff {
  /** Bytes after which each connection breaks. */
  readonly after: number;
  readonly hasEtag?: boolean;
  /** Where the headers of requests are gathered. */
  readonly requests?: IncomingHttpHeaders[];
}

/** Sends bytes over a bad line: only so many at a time, with the rest on request (RFC 9110, 14.2 and 13.1.5). */
export function breakingOff(bytes: Buffer, { after, hasEtag = true, requests = [] }: BreakingOff): Answering {
  const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
  return ({ headers }, response) => {
    requests.push(headers);
    const range = headers['if-range'] === etag ? /^bytes=(\d+)-$/.exec(headers.range ?? '') : null;
    const start = range === null ? 0 : Number(range[1]);
    const named = { 'content-length': bytes.length - start, ...(hasEtag && { etag }) };
    if (range === null) response.writeHead(200, named);
    else response.writeHead(206, { ...named, 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` });
    const end = start + after;
    if (end >= bytes.length) response.end(bytes.subarray(start));
    else response.write(bytes.subarray(start, end), () => setImmediate(() => response.destroy()));
  };
}
