import type { SetId } from '../core/resource-set.ts';
import type { Catalog, CatalogDocument, CatalogKind } from './catalog.ts';

/** How to read and change a kind of catalog document of which each set may have one. */
interface DocumentOfSet<Body> {
  read(catalog: Pick<Catalog, 'get'>, set: SetId): Promise<CatalogDocument<Body> | undefined>;
  /**
   * @param change the new body, and the version that it replaces; `replaces` is undefined if there is none yet
   * @throws TidemarkError `conflict` when another process has changed it since it was read
   */
  put(
    catalog: Pick<Catalog, 'put'>,
    set: SetId,
    change: { readonly body: Body; readonly replaces: number | undefined },
  ): Promise<CatalogDocument<Body>>;
}

export function documentOfSet<Body>(kind: CatalogKind): DocumentOfSet<Body> {
  return {
    read: (catalog, set) => catalog.get<Body>(kind, catalogId(set)),
    async put(catalog, set, { body, replaces }) {
      const id = catalogId(set);
      return { id, version: await catalog.put(kind, id, body, replaces), body };
    },
  };
}

/** The catalog id of a set. Ids sort as their numbers do. */
export function catalogId(id: SetId): string {
  return String(id).padStart(10, '0');
}
