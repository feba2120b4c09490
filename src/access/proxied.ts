import type { IncomingHttpHeaders } from 'node:http';

/** Headers that proxies add, besides those that begin with `x-forwarded-`. */
const PROXY_HEADERS: ReadonlySet<string> = new Set(['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-original-host']);

/** Whether a request came through a proxy, which may have passed it on from another machine. */
export function isProxied(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith('x-forwarded-') || PROXY_HEADERS.has(name)) return true;
  return false;
}
