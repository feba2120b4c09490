import type { ServerResponse } from 'node:http';

/** What names the request, and what a 304 is to tell (RFC 9110, 15.4.5): all else stays as the client has it. */
const TOLD = new Set(['x-request-id', 'etag', 'vary', 'cache-control', 'last-modified']);

/** Makes of an answer that is not sent yet one that tells the client that it has this version. */
export function setNotModified(response: ServerResponse): void {
  response.statusCode = 304;
  for (const name of response.getHeaderNames()) if (!TOLD.has(name)) response.removeHeader(name);
}
