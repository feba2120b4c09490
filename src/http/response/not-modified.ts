import type { ServerResponse } from 'node:http';

/** The headers that a 304 sends (RFC 9110, 15.4.5), and the id of the request; the client keeps the others. */
const TOLD = new Set(['x-request-id', 'etag', 'vary', 'cache-control', 'last-modified']);

/** Turns an answer that is not sent yet into a 304. */
export function setNotModified(response: ServerResponse): void {
  response.statusCode = 304;
  for (const name of response.getHeaderNames()) if (!TOLD.has(name)) response.removeHeader(name);
}
