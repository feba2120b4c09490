import type { Request, Response } from 'express';
import type { SessionCookie } from '../../../access/sessions.ts';

interface Keeping {
  readonly baseUrl: string;
  /** Milliseconds that the browser keeps it. */
  readonly maxAge: number;
}

/**
 * Sets a cookie that no script can read; an empty value removes it.
 *
 * `Lax`: with a link from a mail or a wiki, a signed-in reader can open a private set. All changes are POSTs: browsers
 * send this cookie with none from another site, and each needs an additional proof. `__Host-`: no page of a
 * neighbouring host or without https can set it.
 */
export function setCookie(
  { request, response }: { readonly request: Request; readonly response: Response },
  { name, value }: SessionCookie,
  { baseUrl, maxAge }: Keeping,
): void {
  const secure = isByHttps(request, baseUrl);
  response.cookie(secure ? `__Host-${name}` : name, value, {
    httpOnly: true,
    sameSite: 'lax',
    secure,
    path: '/',
    maxAge: value === '' ? 0 : maxAge,
    encode: String,
  });
}

/** By the base URL, when the client used it; otherwise by the header of a proxy in front. */
function isByHttps({ headers }: Request, baseUrl: string): boolean {
  const { protocol, host } = new URL(baseUrl);
  if (protocol === 'https:' && headers.host?.toLowerCase() === host) return true;
  return (
    String(headers['x-forwarded-proto'] ?? '')
      .split(',')[0]
      ?.trim() === 'https'
  );
}
