import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../config/secret.ts';
import { TidemarkError } from '../core/errors.ts';
import type { AccessPolicy } from './access-policy.ts';
import { readCredentials } from './credentials.ts';
import { isLoopback } from './loopback.ts';
import { may } from './may.ts';
import {
  ADMINISTRATOR,
  type Administrator,
  ANONYMOUS,
  type Anonymous,
  LOCAL_ADMINISTRATOR,
  LOCAL_METRICS_READER,
  type Principal,
  type TokenBearer,
} from './principal.ts';
import { isProxied } from './proxied.ts';
import type { Scope } from './scope.ts';
import type { TokenRecord } from './token.ts';
import { bearerOfRecord, type Shown, type TokenLookup, type TokenRegistry } from './token-registry.ts';

/** The headers of a request, which identify its sender. */
export type SenderHeaders = IncomingHttpHeaders;

/** A sender whose credentials give no access. */
export interface Unidentified {
  readonly kind: 'unidentified';
  readonly reason: string;
}

const PROBLEMS = {
  unknown: 'the token is not valid',
  revoked: 'the token was revoked',
  expired: 'the token has expired',
} as const satisfies Readonly<Record<Exclude<Shown['state'], 'valid'>, string>>;

interface Identification {
  readonly policy: AccessPolicy;
  readonly tokens: TokenLookup;
}

/**
 * Identifies the sender of a request. Where no token exists, credentials are ignored: they may be meant for a proxy in
 * front.
 * @throws TidemarkError `forbidden` for a host name that is not this server's
 */
export async function identify(
  headers: SenderHeaders,
  { policy, tokens }: Identification,
): Promise<Principal | Unidentified> {
  const isFromHere = isFromThisMachine(headers, policy);
  const credentials = readCredentials(headers.authorization);
  if (credentials.kind === 'none' && !isFromHere) return ANONYMOUS;
  const own = policy.mode === 'token' ? policy.token : undefined;
  if (own !== undefined && credentials.kind === 'token' && isSame(credentials.token, own)) return ADMINISTRATOR;
  if (own === undefined && !(await tokens.areKept())) return isFromHere ? LOCAL_ADMINISTRATOR : ANONYMOUS;
  switch (credentials.kind) {
    case 'none':
      return ANONYMOUS;
    case 'unknown':
      return unidentified('send "Authorization: Bearer TOKEN", or Basic with the token as password');
    case 'token':
      return bearerOf(await tokens.show(credentials.token), policy);
  }
}

/**
 * Identifies a sender that could read metrics when the tokens were last read, and may do nothing else now: metrics must
 * report that the store does not respond. Undefined for all others.
 */
export async function identifyMetricsReader(
  headers: SenderHeaders,
  { policy, tokens }: { readonly policy: AccessPolicy; readonly tokens: Pick<TokenRegistry, 'lastRead'> },
): Promise<Principal | undefined> {
  const sender = await identify(headers, { policy, tokens: tokens.lastRead });
  if (sender.kind === 'unidentified' || !may(sender, 'read-metrics', undefined)) return undefined;
  return sender.kind === 'token' ? { ...sender, scopes: ['metrics'] } : LOCAL_METRICS_READER;
}

interface KnownTokens {
  /** The administrator's token from the environment. */
  readonly own: Secret | undefined;
  readonly tokens: Pick<TokenRegistry, 'show'>;
}

/** A sender of an earlier request, which still goes on: a subscription, or a stream of events. */
export type EarlierSender = Anonymous | Administrator | Pick<TokenBearer, 'kind' | 'id'>;

/** Returns what a sender of an earlier request is now; undefined when its token is not valid any more. */
export async function identifyAgain(
  sender: EarlierSender,
  { own, tokens }: { readonly own: Secret | undefined; readonly tokens: Pick<TokenRegistry, 'areKept' | 'bearer'> },
): Promise<Principal | undefined> {
  switch (sender.kind) {
    case 'anonymous':
      return ANONYMOUS;
    case 'token':
      return tokens.bearer(sender.id);
    case 'administrator': {
      const isOpen = own === undefined && !(await tokens.areKept());
      const hasOwn = own !== undefined && sender.withoutToken !== true;
      return isOpen || hasOwn ? ADMINISTRATOR : ANONYMOUS;
    }
  }
}

/** Why a token for signing in is invalid; undefined for a valid one. */
export async function problemOfToken(token: string, { own, tokens }: KnownTokens): Promise<string | undefined> {
  if (own !== undefined && isSame(token, own)) return undefined;
  const { state } = await tokens.show(token);
  return state === 'valid' ? undefined : PROBLEMS[state];
}

/**
 * Refuses requests from web pages of other origins: a browser adds the Origin of the page to every POST, and sends the
 * credentials of a signed-in user by itself.
 * @throws TidemarkError `forbidden`
 */
export function refuseForeignPage(headers: SenderHeaders, baseUrl: string): void {
  const { origin, host = '' } = headers;
  const site = headers['sec-fetch-site'];
  if (origin === undefined) {
    if (site === undefined || site === 'same-origin' || site === 'none') return;
    throw new TidemarkError('forbidden', 'a page of another site may not post here', { header: 'Sec-Fetch-Site' });
  }
  const own = URL.parse(baseUrl);
  if (origin === own?.origin) return;
  // Only a browser knows the scheme by which it reached a proxy in front. One that does not send it may have reached
  // this server by http.
  const isOwnHost = site === 'same-origin' && URL.parse(origin)?.host === host.toLowerCase();
  const isDirect = site === undefined && host.toLowerCase() !== own?.host && origin === `http://${host.toLowerCase()}`;
  if (isOwnHost || isDirect) return;
  throw new TidemarkError('forbidden', `a page of ${origin} may not post here`, { header: 'Origin' });
}

/**
 * Requires proof that a page of this server sent a request that changes something: a browser sends the cookie of a
 * session by itself, also to what a page of another site asks for. Every present browser sends one of these headers.
 * @throws TidemarkError `forbidden`, also as refuseForeignPage
 */
export function requireOwnPage(headers: SenderHeaders, baseUrl: string): void {
  refuseForeignPage(headers, baseUrl);
  if (headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return;
  throw new TidemarkError(
    'forbidden',
    'this was not sent by a page of this server: programs send a token, not a cookie',
    { header: 'Origin' },
  );
}

function bearerOf({ state, record }: Shown, { mode }: AccessPolicy): Principal | Unidentified {
  switch (state) {
    case 'valid':
      return toPrincipal(record, mode === 'read-only');
    default:
      return unidentified(PROBLEMS[state]);
  }
}

function toPrincipal(record: TokenRecord, readsOnly: boolean): Principal {
  const bearer = bearerOfRecord(record);
  return readsOnly ? { ...bearer, scopes: bearer.scopes.flatMap(readingOf) } : bearer;
}

/** The part of a scope that a read-only server grants. */
function readingOf(scope: Scope): readonly Scope[] {
  if (scope === 'administer') return ['read:*', 'metrics'];
  if (/^(upload|manage):/.test(scope)) return [scope.replace(/^\w+:/, 'download:') as Scope];
  return scope.startsWith('post:') ? [] : [scope];
}

function isSame(given: string, own: Secret): boolean {
  // Digests have one length, so the time of comparing does not reveal the length of the token.
  return timingSafeEqual(digest(given), digest(own.reveal()));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * A web page can make a browser send requests to 127.0.0.1 under the page's own name (DNS rebinding), so only known
 * names are accepted. A request for the public name, or through a proxy, is not from this machine. Only called for
 * servers that no other machine can reach.
 * @throws TidemarkError `forbidden` for a host name that is not this server's
 */
export function isFromThisMachine(headers: SenderHeaders, policy: AccessPolicy): boolean {
  if (policy.mode !== 'local') return false;
  const host = hostName(headers.host);
  if (isLoopback(host)) return !isProxied(headers);
  if (host !== '' && host === policy.publicHost) return false;
  const what = host === '' ? 'for requests without Host' : host;
  throw new TidemarkError(
    'forbidden',
    `this server is not ${what}: use its base URL, or name the URL that clients use with --base-url or TIDEMARK_BASE_URL`,
    { header: 'Host' },
  );
}

/** The last Host, which most requests repeat, and its name: parsing takes longer than all other checks. */
let parsed = { host: '', name: '' };

function hostName(host = ''): string {
  if (parsed.host !== host) parsed = { host, name: URL.parse(`http://${host}`)?.hostname ?? '' };
  return parsed.name;
}

function unidentified(reason: string): Unidentified {
  return { kind: 'unidentified', reason };
}
