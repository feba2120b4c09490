import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from './scope.ts';

/** The limits of a token; null for no limit, absent for the server's setting. */
export interface TokenLimits {
  readonly requestsPerMinute?: number | null | undefined;
  /** Bytes of request bodies, decompressed. */
  readonly bodyBytesPerMinute?: number | null | undefined;
}

/** A token as it is stored. The record alone gives no access. */
export interface TokenRecord {
  readonly id: string;
  /** Its name, given at its creation. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly limits: TokenLimits;
  /** The digest of the whole token, in hexadecimal digits. */
  readonly digest: string;
  /** Milliseconds since 1970, as all times here. */
  readonly created: number;
  /** The token is refused from this time on. */
  readonly expires?: number;
  readonly revoked?: number;
  /** The id of the token that made it; absent when an administrator did. */
  readonly madeBy?: string;
}

export type TokenState = 'valid' | 'expired' | 'revoked';

const ID = /^[0-9a-f]{12}$/;
const TOKEN = /^tdm_([0-9a-f]{12})_[\w-]{43}$/;
const PART_OF_TOKEN = /\btdm_([0-9a-f]{12})(?:_|$)/;

/**
 * Creates a token: the id of its record, and 256 random bits. Random bits cannot be guessed, so a plain SHA-256
 * suffices. A slow hash, as needed for passwords that people choose, would only slow down each request.
 */
export function mintToken(): { readonly id: string; readonly token: string } {
  const id = randomBytes(6).toString('hex');
  return { id, token: `tdm_${id}_${randomBytes(32).toString('base64url')}` };
}

/** The id in a token; undefined for a text that is not a token. */
export function idOfToken(text: string): string | undefined {
  return TOKEN.exec(text)?.[1];
}

/** The id that a person names a token by: the id itself, or the token, of which a part may be missing. */
export function idOfNamed(text: string): string | undefined {
  return ID.test(text) ? text : PART_OF_TOKEN.exec(text)?.[1];
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
