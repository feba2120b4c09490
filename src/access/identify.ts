import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../config/configuration.ts';
import { TidemarkError } from '../domain/errors.ts';
import type { AccessPolicy } from './access-policy.ts';
import { isLoopback } from './loopback.ts';
import { ADMINISTRATOR, ANONYMOUS, type Principal } from './principal.ts';

/** What a request says of its sender. */
export type SenderHeaders = Pick<IncomingHttpHeaders, 'authorization' | 'host' | 'forwarded' | 'origin'> & {
  readonly 'x-forwarded-for'?: string | string[] | undefined;
};

/**
 * Who sends a request, or undefined when it bears a token that is not valid.
 * @throws TidemarkError `forbidden` for a host name that is not this server's
 */
export function identify(headers: SenderHeaders, policy: AccessPolicy): Principal | undefined {
  switch (policy.mode) {
    case 'read-only':
      return ANONYMOUS;
    case 'token':
      return bearer(headers.authorization, policy.token);
    case 'local':
      return localSender(headers, policy.publicHost);
  }
}

/**
 * Refuses what a web page of another origin sends: a browser adds the Origin of the page to every POST.
 * @throws TidemarkError `forbidden`
 */
export function refuseForeignPage({ origin, host }: SenderHeaders, baseUrl: string): void {
  if (origin === undefined || origin === URL.parse(baseUrl)?.origin) return;
  if (host !== undefined && URL.parse(origin)?.host === host.toLowerCase()) return;
  throw new TidemarkError('forbidden', `a page of ${origin} may not post here`, { header: 'Origin' });
}

function bearer(authorization: string | undefined, token: Secret): Principal | undefined {
  const [, given] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (given === undefined) return ANONYMOUS;
  // Digests have one length, so that comparing tells nothing of the token's.
  return timingSafeEqual(digest(given), digest(token.reveal())) ? ADMINISTRATOR : undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * A web page can make a browser ask 127.0.0.1 under a name of its own (DNS rebinding), so only known names are answered. What
 * came for the public name, or through a proxy, is not from this machine.
 */
function localSender(headers: SenderHeaders, publicHost: string): Principal {
  const host = hostName(headers.host);
  const isProxied = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  if (isLoopback(host)) return isProxied ? ANONYMOUS : ADMINISTRATOR;
  if (host !== '' && host === publicHost) return ANONYMOUS;
  throw new TidemarkError('forbidden', `this server is not ${host || 'for requests without Host'}: use its base URL`, {
    header: 'Host',
  });
}

function hostName(host: string | undefined): string {
  return URL.parse(`http://${host ?? ''}`)?.hostname ?? '';
}
