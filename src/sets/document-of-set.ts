import type { SetId } from '../core/resource-set.ts';
import type { Catalog, CatalogDocument, CatalogKind } from '../stores/catalog.ts';
import { catalogId } from './set-registry.ts';

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
  ): Promise<number>;
}

export function documentOfSet<Body>(kind: CatalogKind): DocumentOfSet<Body> {
  return {
    read: (catalog, set) => catalog.get<Body>(kind, catalogId(set)),
    put: (catalog, set, { body, replaces }) => catalog.put(kind, catalogId(set), body, replaces),
  };
}
