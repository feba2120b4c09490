import { TidemarkError } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { StoredSet } from '../../core/stored-set.ts';
import type { Catalog } from '../catalog.ts';
import { CatalogFollower } from '../catalog-follower.ts';

/** The sets in the catalog, as of the last `load`. */
export class StoredSets {
  readonly #sets = new Map<SetId, StoredSet>();
  readonly #follower: CatalogFollower<StoredSet>;

  constructor(catalog: Pick<Catalog, 'head' | 'list'>) {
    this.#follower = new CatalogFollower(catalog, { kind: 'set', onPut: ({ body }) => this.#sets.set(body.id, body) });
  }

  load(): Promise<void> {
    return this.#follower.load();
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
}
