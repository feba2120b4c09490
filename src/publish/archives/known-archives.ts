import { TidemarkError } from '../../core/errors.ts';
import { hasListArchive, type ResourceSet, type SetId } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { readArchive, type StoredArchive } from './stored-archive.ts';

/** The archives of all sets, in sync with other processes: each is read again after any archive was changed. */
export class KnownArchives {
  readonly #catalog: Pick<Catalog, 'get' | 'head'>;
  readonly #known = new Map<SetId, StoredArchive | undefined>();
  #head = 0;

  constructor(catalog: Pick<Catalog, 'get' | 'head'>) {
    this.#catalog = catalog;
  }

  /** The archived lists of a set. @throws TidemarkError `not-found` when it has none in this epoch */
  async archiveOf(set: ResourceSet): Promise<StoredArchive> {
    const found = hasListArchive(set) ? await this.find(set) : undefined;
    if (found !== undefined) return found;
    const message = `"${set.slug}" has no archived lists: "tidemark lists keep ${set.slug}" keeps the present one`;
    throw new TidemarkError('not-found', message, { set: set.slug });
  }

  /** The archive of a set in this epoch. */
  async find({ id, epoch }: ResourceSet): Promise<StoredArchive | undefined> {
    const found = await this.#read(id);
    return found?.epoch === epoch ? found : undefined;
  }

  async #read(set: SetId): Promise<StoredArchive | undefined> {
    const head = await this.#catalog.head('list-archive');
    if (head !== this.#head) {
      this.#known.clear();
      this.#head = head;
    }
    if (!this.#known.has(set)) {
      const document = await readArchive(this.#catalog, set);
      // Another call may have read a newer one meanwhile.
      if (head === this.#head) this.#known.set(set, document?.body);
      return document?.body;
    }
    return this.#known.get(set);
  }
}
