import { isDeepStrictEqual } from 'node:util';
import type { StoredSet } from '../../core/stored-set.ts';
import type { Catalog, CatalogDocument, CatalogKind } from '../../stores/catalog.ts';
import { CATALOG_KINDS, digestOf } from '../catalog-documents.ts';
import { requireUnderWay } from '../rebuild-state.ts';

/** Number of documents that are put at a time: on Elasticsearch, each waits for a refresh. */
const AT_ONCE = 8;

/** That of the new store names the move. */
const COPIED_KINDS = CATALOG_KINDS.filter((kind) => kind !== 'rebuild');

interface Known {
  readonly version: number;
  readonly digest: string;
}

interface FoundDocument {
  readonly kind: CatalogKind;
  readonly document: CatalogDocument<unknown>;
}

/**
 * Copies all documents of a catalog, also those that archives leave out. Documents are never deleted, so a copy of all
 * that were put is complete.
 */
export class CatalogCopy {
  readonly #from: Catalog;
  readonly #to: Catalog;
  /** The versions up to which each kind is copied. */
  readonly #heads = new Map<CatalogKind, number>();
  /** Sets that were removed: they are marked last, since they reject changes from then on. */
  #removed: FoundDocument[] = [];
  #known: Map<string, Known> | undefined;

  constructor({ from, to }: Record<'from' | 'to', Catalog>) {
    this.#from = from;
    this.#to = to;
  }

  /** The sets that were put since the last call, also removed ones. Call `copy` afterwards. */
  async newSets(): Promise<readonly StoredSet[]> {
    const found = await this.#from.list<StoredSet>('set', this.#heads.get('set'));
    return found.map(({ body }) => body);
  }

  /**
   * Copies what was put since the last call. Returns the number of documents.
   * @param isLast also removes the sets that were removed
   * @throws TidemarkError `conflict` when another process completes the new store
   */
  async copy(isLast: boolean): Promise<number> {
    this.#known ??= await this.#readKnown();
    const found: FoundDocument[] = [];
    for (const kind of COPIED_KINDS) {
      const documents = await this.#from.list<unknown>(kind, this.#heads.get(kind));
      found.push(...documents.map((document) => ({ kind, document })));
      if (documents.length > 0) this.#heads.set(kind, Math.max(...documents.map(({ version }) => version)));
    }
    const isRemoved = ({ kind, document }: FoundDocument) =>
      kind === 'set' && (document.body as StoredSet).removed !== undefined;
    this.#removed = [...this.#removed, ...found.filter(isRemoved)];
    const now = [...found.filter((each) => !isRemoved(each)), ...(isLast ? this.#removed : [])];
    // The versions to replace were read before: a process that is late replaces nothing in a complete store.
    await requireUnderWay(this.#to);
    for (let at = 0; at < now.length; at += AT_ONCE) {
      await Promise.all(now.slice(at, at + AT_ONCE).map((each) => this.#put(each)));
    }
    return found.length;
  }

  async #put({ kind, document: { id, body } }: FoundDocument): Promise<void> {
    const name = `${kind} ${id}`;
    const known = this.#known!.get(name);
    const digest = digestOf([{ body }]);
    if (known?.digest === digest) return;
    const version = await this.#to.put(kind, id, body, known?.version);
    this.#known!.set(name, { version, digest });
  }

  async #readKnown(): Promise<Map<string, Known>> {
    const known = new Map<string, Known>();
    for (const kind of COPIED_KINDS) {
      for (const { id, version, body } of await this.#to.list<unknown>(kind)) {
        known.set(`${kind} ${id}`, { version, digest: digestOf([{ body }]) });
      }
    }
    return known;
  }
}

/** The documents of some kinds that one catalog has, and the other has not, or has otherwise: `KIND ID`. */
export async function newerDocuments(
  catalogs: { readonly newer: Catalog; readonly older: Catalog },
  except: readonly CatalogKind[],
): Promise<readonly string[]> {
  const different: string[] = [];
  for (const kind of COPIED_KINDS) {
    if (except.includes(kind)) continue;
    const older = new Map((await catalogs.older.list<unknown>(kind)).map(({ id, body }) => [id, body]));
    for (const { id, body } of await catalogs.newer.list<unknown>(kind)) {
      if (!isDeepStrictEqual(older.get(id), body)) different.push(`${kind} ${id}`);
    }
  }
  return different;
}
