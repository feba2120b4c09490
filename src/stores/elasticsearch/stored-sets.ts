import { TidemarkError } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { StoredSet } from '../../core/stored-set.ts';
import { CoalescedRead } from '../../lib/coalesced-read.ts';
import type { Catalog } from '../catalog.ts';

/** A cache of the sets in the catalog. It reads only what has changed since the last read. */
export class StoredSets {
  readonly #catalog: Catalog;
  readonly #sets = new Map<SetId, StoredSet>();
  /** One load at a time: of two, the one that ends last may have read earlier. */
  readonly #loads = new CoalescedRead(() => this.#load());
  #head = 0;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  load(): Promise<void> {
    return this.#loads.read();
  }

  /** Returns the set; undefined if it was removed. */
  get(id: SetId): StoredSet | undefined {
    const set = this.#sets.get(id);
    return set?.removed === undefined ? set : undefined;
  }

  /** @throws TidemarkError `not-found` */
  async require(id: SetId): Promise<StoredSet> {
    await this.load();
    const set = this.get(id);
    if (set === undefined) throw new TidemarkError('not-found', `there is no set with the id ${id}`);
    return set;
  }

  async #load(): Promise<void> {
    const head = await this.#catalog.head('set');
    if (head === this.#head) return;
    for (const { body } of await this.#catalog.list<StoredSet>('set', this.#head)) this.#sets.set(body.id, body);
    this.#head = head;
  }
}
