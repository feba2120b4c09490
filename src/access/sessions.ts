import { createHash, randomBytes } from 'node:crypto';
import { LARGEST_CLOCK_ERROR_MS } from '../core/accepted-clock.ts';
import { unlessConflict } from '../core/errors.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import { CatalogFollower } from '../stores/catalog-follower.ts';
import { updateDocument } from '../stores/update-document.ts';
import { KEY_BYTES, seal, unseal } from './sealed-text.ts';
import { idOfToken } from './token.ts';

/** Milliseconds after which a person has to sign in again. */
export const SESSION_MS = 12 * 3_600_000;
/** The document with the key. No id of a token is equal to it. */
const KEY_ID = 'key';
/** The administrator's token from the environment has no id. */
const ADMINISTRATOR_ID = 'administrator';
const PREFIX = 'tidemark_';
/** Ends the name, and begins the text, of a cookie with a new token: it is no session. */
const MADE = '_made';

interface KeyBody {
  readonly key: string;
}

/** Sessions of a token that began at or before this time have ended. It never becomes earlier. */
interface EndedBody {
  readonly ended: number;
}

export interface SessionCookie {
  readonly name: string;
  readonly value: string;
}

/**
 * Sessions of browsers. A session is a cookie that contains a token and the time of signing in, sealed with a key that
 * all servers of the source share. So every server knows every session without storing it, and a session ends with its
 * token, also when TIDEMARK_TOKEN changes. The key alone gives no access, and neither does the rest of the store, which
 * has only digests of tokens. Signing out ends all sessions of the token.
 */
export class Sessions {
  readonly #catalog: Pick<Catalog, 'get' | 'put' | 'list' | 'head'>;
  /** Also read once a second, as tokens are. */
  readonly #follower: CatalogFollower<KeyBody & EndedBody>;
  /** By the id of a token. */
  readonly #ended = new Map<string, number>();
  #key: Buffer | undefined;
  #cookieName = '';

  constructor(catalog: Pick<Catalog, 'get' | 'put' | 'list' | 'head'>) {
    this.#catalog = catalog;
    this.#follower = new CatalogFollower(catalog, { kind: 'session', onPut: (document) => this.#take(document) });
  }

  /** Begins a session of a token, which the caller has checked. */
  async begin(token: string): Promise<SessionCookie> {
    const key = await this.#makeKey();
    // Another server, whose clock is ahead, may have ended earlier sessions.
    const began = Math.max(Date.now(), (this.#ended.get(idOf(token)) ?? 0) + 1);
    return { name: this.#cookieName, value: seal(key, `${began} ${token}`) };
  }

  /**
   * The token of the session of a request, from its header Cookie. The caller must check whether the token is
   * valid.
   */
  async tokenOf(cookies: string | undefined): Promise<string | undefined> {
    if (cookies === undefined || !cookies.includes(PREFIX)) return undefined;
    await this.#follower.loadUnlessFresh();
    if (this.#key === undefined) return undefined;
    for (const value of valuesOf(cookies, this.#cookieName)) {
      const token = this.#tokenIn(unseal(this.#key, value));
      if (token !== undefined) return token;
    }
    return undefined;
  }

  /**
   * Ends all sessions of a token, at every server within a second or so. The clock of the server at which one began may
   * be ahead of this one's.
   */
  async end(token: string): Promise<void> {
    const name = { kind: 'session', id: idOf(token) } as const;
    await updateDocument<EndedBody>(this.#catalog, name, (before) => ({
      ended: Math.max(Date.now() + LARGEST_CLOCK_ERROR_MS, before?.ended ?? 0),
    }));
    await this.#follower.load();
  }

  /** A cookie with a token that was just made, for the one page that shows it. */
  async cookieToShow(token: string): Promise<SessionCookie> {
    const key = await this.#makeKey();
    return { name: this.#cookieName + MADE, value: seal(key, `${MADE} ${token}`) };
  }

  /** The token of such a cookie, from the header Cookie of a request. */
  async tokenToShow(
    cookies: string | undefined,
  ): Promise<{ readonly name: string; readonly token: string } | undefined> {
    if (!cookies?.includes(MADE)) return undefined;
    await this.#follower.loadUnlessFresh();
    if (this.#key === undefined) return undefined;
    const name = this.#cookieName + MADE;
    for (const value of valuesOf(cookies, name)) {
      const [kind, token] = unseal(this.#key, value)?.split(' ') ?? [];
      if (kind === MADE && token !== undefined) return { name, token };
    }
    return undefined;
  }

  /** The name of the cookie; undefined before the first session. */
  async cookieName(): Promise<string | undefined> {
    await this.#follower.load();
    return this.#key === undefined ? undefined : this.#cookieName;
  }

  #tokenIn(text: string | undefined): string | undefined {
    const [, began, token] = /^(\d+) (.+)$/.exec(text ?? '') ?? [];
    if (token === undefined) return undefined;
    const isOver = Number(began) + SESSION_MS <= Date.now();
    const isEnded = Number(began) <= (this.#ended.get(idOf(token)) ?? 0);
    return isOver || isEnded ? undefined : token;
  }

  /** Returns the key, and creates it for the first user who signs in. */
  async #makeKey(): Promise<Buffer> {
    await this.#follower.load();
    if (this.#key !== undefined) return this.#key;
    const key = randomBytes(KEY_BYTES).toString('base64');
    // Another server may have created it.
    await unlessConflict(this.#catalog.put<KeyBody>('session', KEY_ID, { key }, undefined));
    return this.#makeKey();
  }

  #take({ id, body }: CatalogDocument<KeyBody & EndedBody>): void {
    if (id !== KEY_ID) {
      this.#ended.set(id, body.ended);
      return;
    }
    this.#key = Buffer.from(body.key, 'base64');
    // Cookies do not depend on the port: sources on one machine have cookies of different names.
    this.#cookieName = PREFIX + createHash('sha256').update(this.#key).digest('hex').slice(0, 8);
  }
}

function idOf(token: string): string {
  return idOfToken(token) ?? ADMINISTRATOR_ID;
}

/** The values of a cookie in the header (RFC 6265, 4.2): another path or host may have set one of the same name. */
function valuesOf(header: string, name: string): readonly string[] {
  return header.split(';').flatMap((pair) => {
    const [its, value = ''] = pair.trim().split('=', 2);
    return its === name || its === `__Host-${name}` ? [value] : [];
  });
}
