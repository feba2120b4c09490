import { unlessConflict } from '../core/errors.ts';
import type { Catalog, CatalogKind } from './catalog.ts';

/**
 * Changes a document of the catalog, also when another process changes it meanwhile. Returns the new body.
 * @param change returns the new body, or the one before to change nothing; it may be called several times
 */
export async function updateDocument<Body>(
  catalog: Pick<Catalog, 'get' | 'put'>,
  { kind, id }: { readonly kind: CatalogKind; readonly id: string },
  change: (before: Body | undefined) => Body,
): Promise<Body> {
  for (;;) {
    const before = await catalog.get<Body>(kind, id);
    const body = change(before?.body);
    if (body === before?.body) return body;
    if ((await unlessConflict(catalog.put(kind, id, body, before?.version))) !== undefined) return body;
  }
}
