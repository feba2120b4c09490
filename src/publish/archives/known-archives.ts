import { TidemarkError } from '../../core/errors.ts';
import { hasListArchive, type ResourceSet, type SetId } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { KnownDocuments } from '../known-documents.ts';
import { readArchive, type StoredArchive } from './stored-archive.ts';

/** The archives of all sets, in sync with other processes. */
export class KnownArchives {
  readonly #known: KnownDocuments<StoredArchive>;

  constructor(catalog: Pick<Catalog, 'get' | 'head'>) {
    const read = (set: SetId) => readArchive(catalog, set);
    this.#known = new KnownDocuments({ catalog, kind: 'list-archive', read });
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
    const found = await this.#known.of(id);
    return found?.epoch === epoch ? found : undefined;
  }
}
