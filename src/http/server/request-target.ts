import type { IncomingMessage } from 'node:http';
import { HttpError } from '../request/http-error.ts';

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)(.*)$/i;

/**
 * Gives a request a target that begins with a slash: routes, pages and relative links rely on it. A URL, which every
 * server must accept, becomes its path and query (RFC 9112, 3.2.2).
 * @throws HttpError 400 for `*`, which is for a whole server, for a target that is neither path nor URL, and for a URL
 *   with another host than the header Host: a proxy in front may have used either of them
 */
export function requirePath(request: Pick<IncomingMessage, 'url' | 'headers'>): void {
  const { url = '', headers } = request;
  if (url.startsWith('/')) return;
  const [, host, path] = ABSOLUTE_FORM.exec(url) ?? [];
  if (host === undefined || path === undefined) {
    throw wrongTarget('wrong-target', 'the target of the request is neither a path, such as /sets/, nor a URL');
  }
  if (host.toLowerCase() !== (headers.host ?? host).toLowerCase()) {
    throw wrongTarget('several-hosts', 'the URL of the request has another host than the header Host');
  }
  request.url = path.startsWith('/') ? path : `/${path}`;
}

function wrongTarget(code: string, message: string): HttpError {
  return new HttpError(400, { code, message, headers: { Connection: 'close' } });
}
