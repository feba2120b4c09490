import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from './scope.ts';

/** How much the bearer of a token may ask; null is without a limit, and what is absent is what the server's settings say. */
export interface TokenLimits {
  readonly requestsPerMinute?: number | null | undefined;
  /** Bytes of request bodies, unpacked. */
  readonly bodyBytesPerMinute?: number | null | undefined;
}

/** A token as it is kept: with it alone, nobody gets in. */
export interface TokenRecord {
  readonly id: string;
  /** What its maker calls it. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly limits: TokenLimits;
  /** The digest of the whole token, in hexadecimal digits. */
  readonly digest: string;
  /** Milliseconds since 1970, as all times here. */
  readonly created: number;
  /** From then on it is refused. */
  readonly expires?: number;
  readonly revoked?: number;
}

export type TokenState = 'valid' | 'expired' | 'revoked';

const TOKEN = /^tdm_([0-9a-f]{12})_[\w-]{43}$/;

/**
 * A new token: its id, which finds its record, and 256 random bits. That many cannot be guessed, whatever the hash: so a plain
 * SHA-256 is right here, and a slow hash, which passwords need because people choose them, would only make each request slow.
 */
export function mintToken(): { readonly id: string; readonly token: string } {
  const id = randomBytes(6).toString('hex');
  return { id, token: `tdm_${id}_${randomBytes(32).toString('base64url')}` };
}

/** The id in a token; undefined for a text that is no token. */
export function idOfToken(text: string): string | undefined {
  return TOKEN.exec(text)?.[1];
}

export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Compares digests, which have one length, in constant time. */
export function matchesDigest(token: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(token)), Buffer.from(digest));
}

export function stateOf({ revoked, expires }: TokenRecord, now: number): TokenState {
  if (revoked !== undefined) return 'revoked';
  return expires !== undefined && expires <= now ? 'expired' : 'valid';
}
