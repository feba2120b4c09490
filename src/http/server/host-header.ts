import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from '../request/http-error.ts';

/** A host, and a port (RFC 3986, 3.2.2), or nothing. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

export function isHost(value: string): boolean {
  return HOST.test(value);
}

interface HostHeaders {
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
}

/**
 * RFC 9112, 3.2. With several, a proxy in front may have used another one of them than Node, which takes the first.
 * @throws HttpError 400 for several headers, and for one that is not a host
 */
export function requireHost({ headers: { host = '' }, rawHeaders }: HostHeaders): void {
  if (hasSeveralHosts(rawHeaders)) throw wrongHost('several-hosts', 'the request has more than one header Host');
  if (!isHost(host)) throw wrongHost('wrong-host', 'the header Host of the request is not a host with a port');
}

function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

function wrongHost(code: string, message: string): HttpError {
  return new HttpError(400, { code, message, headers: { Connection: 'close' } });
}
