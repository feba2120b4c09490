import type { Catalog } from '../stores/catalog.ts';
import { updateDocument } from '../stores/update-document.ts';

/** When a token was last used, and from where. */
export interface TokenUse {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The network address of the client. */
  readonly address: string;
}

/** Milliseconds for which the next use of a token is not stored: "last used" is that exact. */
const INTERVAL_MS = 5 * 60_000;
/** Milliseconds after which uses are stored together. */
const DELAY_MS = 2_000;
/** Tokens whose last use may be stored at a time. */
const AT_ONCE = 4;

/**
 * The last use of each token, in the catalog. No request waits for it, and none fails when it cannot be stored. Of a
 * token, a process stores at most one use in five minutes, and nothing while another process has done so.
 */
export class TokenUses {
  readonly #catalog: Pick<Catalog, 'get' | 'put' | 'list'>;
  /** When the last use was recorded, by id. */
  readonly #recorded = new Map<string, number>();
  readonly #waiting = new Map<string, TokenUse>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor(catalog: Pick<Catalog, 'get' | 'put' | 'list'>) {
    this.#catalog = catalog;
  }

  /** Records a use. @param addressOf called when it is to be stored */
  record(id: string, addressOf: () => string): void {
    const at = Date.now();
    if (at - (this.#recorded.get(id) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) return;
    this.#recorded.set(id, at);
    this.#waiting.set(id, { at, address: addressOf() });
    this.#timer ??= setTimeout(() => this.flush(), DELAY_MS).unref();
  }

  /** The last uses, by the id of the token, also those that this process has not stored yet. */
  async list(): Promise<ReadonlyMap<string, TokenUse>> {
    const stored = await this.#catalog.list<TokenUse>('token-use');
    return new Map([...stored.map(({ id, body }) => [id, body] as const), ...this.#waiting]);
  }

  /** Stores what waits. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#storing = this.#storing.then(() => this.#storeAll());
    return this.#storing;
  }

  async #storeAll(): Promise<void> {
    const uses = [...this.#waiting].values();
    const storeSome = async () => {
      for (const [id, use] of uses) await this.#store(id, use);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, storeSome));
  }

  async #store(id: string, use: TokenUse): Promise<void> {
    const isStored = (before: TokenUse | undefined) => before !== undefined && use.at - before.at < INTERVAL_MS;
    try {
      const change = (before: TokenUse | undefined) => (isStored(before) ? before! : use);
      await updateDocument<TokenUse>(this.#catalog, { kind: 'token-use', id }, change);
    } catch {
      // The next use is stored.
      this.#recorded.delete(id);
    }
    if (this.#waiting.get(id) === use) this.#waiting.delete(id);
  }
}
