import { TidemarkError, unlessConflict } from '../core/errors.ts';
import type { ResourceSet, SetId } from '../core/resource-set.ts';
import { fromStoredSet, type StoredSet, toStoredSet } from '../core/stored-set.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import { slugTaken } from './set-errors.ts';
import { SetNames } from './set-names.ts';

/** Most sets that an error names. */
const MOST_NAMES = 10;

/**
 * The catalog documents of all sets, including removed ones. Methods that return no promise answer from the last call
 * that did.
 */
export class SetDocuments {
  readonly #catalog: Pick<Catalog, 'head' | 'list' | 'put'>;
  readonly #bySlug = new Map<string, CatalogDocument<ResourceSet>>();
  readonly #byId = new Map<SetId, ResourceSet>();
  readonly names = new SetNames();
  /** Every set that was put up to this version is known. */
  #head = 0;
  #lastId = 0;
  /** The result of `list`, until a set changes. */
  #listed: readonly ResourceSet[] | undefined;
  /** The result of `removed`, until a set changes. */
  #removed: readonly SetId[] | undefined;

  constructor(catalog: Pick<Catalog, 'head' | 'list' | 'put'>) {
    this.#catalog = catalog;
  }

  /** Rises with every change of any set. */
  get version(): number {
    return this.#head;
  }

  get lastId(): SetId {
    return this.#lastId;
  }

  /** Reads only documents that were put since the last read: there may be many sets, and few of them change. */
  async load(): Promise<void> {
    const head = await this.#catalog.head('set');
    if (head <= this.#head) return;
    for (const { body, ...document } of await this.#catalog.list<StoredSet>('set', this.#head)) {
      this.#take({ ...document, body: fromStoredSet(body) });
    }
    this.#head = Math.max(this.#head, head);
  }

  /** The sets that are not removed, ascending by slug. */
  list(): readonly ResourceSet[] {
    this.#listed ??= [...this.#byId.values()]
      .filter(({ removed }) => removed === undefined)
      .sort((a, b) => (a.slug < b.slug ? -1 : 1));
    return this.#listed;
  }

  removed(): readonly SetId[] {
    this.#removed ??= [...this.#byId.values()].filter(({ removed }) => removed !== undefined).map(({ id }) => id);
    return this.#removed;
  }

  byId(id: SetId): ResourceSet | undefined {
    return this.#byId.get(id);
  }

  /**
   * Reads new documents.
   * @throws TidemarkError `conflict` when a set has the slug, or had it and its changes
   */
  async requireUnused(slug: string): Promise<void> {
    await this.load();
    const former = this.#bySlug.get(slug);
    if (former !== undefined && former.body.unused !== true) throw slugTaken(slug);
  }

  /**
   * @param isShown a set for which it returns false is treated as one that never existed
   * @throws TidemarkError `not-found`, or `gone` when it was removed
   */
  known(slug: string, isShown?: (set: ResourceSet) => boolean): CatalogDocument<ResourceSet> {
    const document = this.#bySlug.get(slug);
    if (document === undefined || isShown?.(document.body) === false)
      throw new TidemarkError('not-found', `there is no set "${slug}"${this.#namesOf(isShown)}`, { set: slug });
    if (document.body.removed !== undefined)
      throw new TidemarkError('gone', `the set "${slug}" was removed`, { set: slug });
    return document;
  }

  /** The first sets that exist, as the end of a sentence. */
  #namesOf(isShown: (set: ResourceSet) => boolean = () => true): string {
    const shown = this.list().filter(isShown);
    if (shown.length === 0) return '';
    const names = shown.slice(0, MOST_NAMES).map(({ slug }) => slug);
    return `; there ${shown.length === 1 ? 'is' : 'are'} ${names.join(', ')}${shown.length > names.length ? ', …' : ''}`;
  }

  /** As `known`, after reading new documents. */
  async require(slug: string): Promise<CatalogDocument<ResourceSet>> {
    await this.load();
    return this.known(slug);
  }

  /**
   * Replaces the document of a set. Retries if another process changes it meanwhile.
   * @throws TidemarkError as `require`
   */
  async replace(slug: string, change: (set: ResourceSet) => ResourceSet): Promise<ResourceSet> {
    const { id, version, body } = await this.require(slug);
    const changed = change(body);
    const put = await unlessConflict(this.#catalog.put('set', id, toStoredSet(changed), version));
    return put === undefined ? this.replace(slug, change) : changed;
  }

  #take(document: CatalogDocument<ResourceSet>): void {
    const { version, body } = document;
    // Of two concurrent loads, the one that ends last may have read earlier.
    if (version < (this.#bySlug.get(body.slug)?.version ?? 0)) return;
    this.names.replace(this.#byId.get(body.id), body);
    this.#bySlug.set(body.slug, document);
    this.#byId.set(body.id, body);
    this.#lastId = Math.max(this.#lastId, body.id);
    this.#listed = undefined;
    this.#removed = undefined;
  }
}
