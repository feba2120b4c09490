import type { SetId } from '../core/resource-set.ts';
import type { Catalog, CatalogDocument, CatalogKind } from '../stores/catalog.ts';

interface Source<Body> {
  readonly catalog: Pick<Catalog, 'head'>;
  readonly kind: CatalogKind;
  readonly read: (set: SetId) => Promise<CatalogDocument<Body> | undefined>;
}

/**
 * The documents of one kind, one for each set, in sync with other processes: each is read again after any of them was
 * changed.
 */
export class KnownDocuments<Body> {
  readonly #source: Source<Body>;
  readonly #known = new Map<SetId, Body | undefined>();
  #head = 0;

  constructor(source: Source<Body>) {
    this.#source = source;
  }

  async of(set: SetId): Promise<Body | undefined> {
    const { catalog, kind, read } = this.#source;
    const head = await catalog.head(kind);
    if (head !== this.#head) {
      this.#known.clear();
      this.#head = head;
    }
    if (this.#known.has(set)) return this.#known.get(set);
    const document = await read(set);
    // Another call may have read a newer one meanwhile.
    if (head === this.#head) this.#known.set(set, document?.body);
    return document?.body;
  }
}
