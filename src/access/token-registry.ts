import { TidemarkError } from '../core/errors.ts';
import type { Catalog } from '../stores/catalog.ts';
import { CatalogFollower } from '../stores/catalog-follower.ts';
import { updateDocument } from '../stores/update-document.ts';
import type { TokenBearer } from './principal.ts';
import { parseScope, type Scope } from './scope.ts';
import {
  digestOf,
  idOfToken,
  matchesDigest,
  mintToken,
  stateOf,
  type TokenLimits,
  type TokenRecord,
  type TokenState,
} from './token.ts';

/** The digest to compare with when the token does not exist, so that the check takes as long. */
const NO_DIGEST = digestOf('');

/** Milliseconds for which `lastRead` may be used. Other processes may have revoked a token meanwhile. */
const LAST_READ_MS = 3_600_000;

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly limits?: TokenLimits;
  /** Milliseconds since 1970. */
  readonly expires?: number | undefined;
  /** The id of the token that makes it; absent for an administrator's. */
  readonly madeBy?: string | undefined;
}

/** The result of looking up a token. Only the bearer of the whole token learns that it expired or was revoked. */
export type Shown =
  | { readonly state: TokenState; readonly record: TokenRecord }
  | { readonly state: 'unknown'; readonly record?: undefined };

/** How requests look up tokens. */
export type TokenLookup = Pick<TokenRegistry, 'areKept' | 'show'>;

/**
 * The tokens in the catalog. A call reads the catalog again when the last read is more than a second old: for this
 * long, a process may accept a token that another process has revoked. Throws `unavailable` when the catalog does not
 * respond: a token that may have been revoked is not accepted.
 */
export class TokenRegistry {
  readonly #catalog: Catalog;
  readonly #byId = new Map<string, TokenRecord>();
  readonly #follower: CatalogFollower<TokenRecord>;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    this.#follower = new CatalogFollower(catalog, { kind: 'token', onPut: ({ id, body }) => this.#byId.set(id, body) });
  }

  /**
   * Creates a token, and returns it with its record. The token itself is not stored: it cannot be read again.
   * @throws TidemarkError `invalid`
   */
  async create({
    name,
    scopes,
    limits = {},
    expires,
    madeBy,
  }: NewToken): Promise<{ token: string; record: TokenRecord }> {
    if (scopes.length === 0) throw new TidemarkError('invalid', 'a token needs a scope', { field: 'scopes' });
    const { id, token } = mintToken();
    const record: TokenRecord = {
      id,
      name: parseTokenName(name),
      scopes: [...new Set(scopes.map(parseScope))],
      limits: checkedLimits(limits),
      digest: digestOf(token),
      created: Date.now(),
      ...(expires !== undefined && { expires }),
      ...(madeBy !== undefined && { madeBy }),
    };
    await this.#catalog.put('token', id, record, undefined);
    await this.#follower.load();
    return { token, record };
  }

  /** All tokens that were ever created, oldest first. */
  async list(): Promise<readonly TokenRecord[]> {
    await this.#follower.load();
    return [...this.#byId.values()].sort((a, b) => a.created - b.created);
  }

  /**
   * Revokes a token permanently.
   * @param mayRevoke of a token for which it is false, the caller may not know
   * @throws TidemarkError `not-found`
   */
  async revoke(id: string, mayRevoke: (record: TokenRecord) => boolean = () => true): Promise<TokenRecord> {
    const record = await updateDocument<TokenRecord>(this.#catalog, { kind: 'token', id }, (before) => {
      if (before === undefined || !mayRevoke(before))
        throw new TidemarkError('not-found', `there is no token with the id "${id}"`, { id });
      return before.revoked === undefined ? { ...before, revoked: Date.now() } : before;
    });
    await this.#follower.load();
    return record;
  }

  /** Whether a token was ever created, including expired and revoked ones. */
  async areKept(): Promise<boolean> {
    await this.#follower.loadUnlessFresh();
    return this.#byId.size > 0;
  }

  /** The number of valid tokens. */
  async countValid(): Promise<number> {
    const now = Date.now();
    return (await this.list()).filter((record) => stateOf(record, now) === 'valid').length;
  }

  /** Looks up the token of a request. */
  async show(token: string): Promise<Shown> {
    const id = idOfToken(token);
    if (id === undefined) return { state: 'unknown' };
    await this.#follower.loadUnlessFresh();
    // A new token may be used before this process has read it.
    if (!this.#byId.has(id)) await this.#follower.load();
    return this.#shown(token);
  }

  /**
   * The tokens as they were last read, at most an hour ago, without reading them again. Only for what must be answered
   * while the store does not respond, and may be answered to the bearer of a token that was revoked within that hour.
   * Throws `unavailable` when there is no such read.
   */
  readonly lastRead: TokenLookup = {
    areKept: async () => {
      this.#requireLastRead();
      return this.#byId.size > 0;
    },
    show: async (token) => {
      this.#requireLastRead();
      return this.#shown(token);
    },
  };

  /** The bearer of a token by its id, while the token is valid. */
  async bearer(id: string): Promise<TokenBearer | undefined> {
    await this.#follower.loadUnlessFresh();
    const record = this.#byId.get(id);
    if (record === undefined || stateOf(record, Date.now()) !== 'valid') return undefined;
    return bearerOfRecord(record);
  }

  #shown(token: string): Shown {
    const record = this.#byId.get(idOfToken(token) ?? '');
    const matches = matchesDigest(token, record?.digest ?? NO_DIGEST);
    if (!matches || record === undefined) return { state: 'unknown' };
    return { state: stateOf(record, Date.now()), record };
  }

  #requireLastRead(): void {
    if (this.#follower.ageMs() < LAST_READ_MS) return;
    throw new TidemarkError('unavailable', 'the tokens could not be read for too long');
  }
}

/** The bearer of a token that is valid. */
export function bearerOfRecord({ id, name, scopes, limits, expires }: TokenRecord): TokenBearer {
  return { kind: 'token', id, name, scopes, limits, ...(expires !== undefined && { expires }) };
}

/** @throws TidemarkError `invalid` for a name that is empty, long, or not a line of text */
function parseTokenName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= 100 && !/\p{C}/u.test(name)) return name;
  throw new TidemarkError('invalid', 'the name of a token is one line of 1 to 100 characters', { field: 'name' });
}

/** @throws TidemarkError `invalid` for a limit that is not a whole number above 0 */
function checkedLimits(limits: TokenLimits): TokenLimits {
  for (const [field, most = null] of Object.entries(limits)) {
    if (most === null || (Number.isSafeInteger(most) && most > 0)) continue;
    throw new TidemarkError('invalid', `${field} is not a whole number above 0`, { field });
  }
  return limits;
}
