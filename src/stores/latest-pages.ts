import type { Catalog, CatalogDocument, CatalogKind } from './catalog.ts';

interface LatestPage<Body> {
  readonly documents: readonly CatalogDocument<Body>[];
  /** All ids of the page are before this one; undefined for the first page. */
  readonly before: string | undefined;
}

/** Reads all documents of a kind whose ids begin with a prefix, descending by id: a limited number at a time. */
export async function* latestPages<Body>(
  catalog: Pick<Catalog, 'latest'>,
  { kind, prefix, limit }: { readonly kind: CatalogKind; readonly prefix: string; readonly limit: number },
): AsyncGenerator<LatestPage<Body>> {
  for (let before: string | undefined; ; ) {
    const documents = await catalog.latest<Body>(kind, prefix, { before, limit });
    yield { documents, before };
    if (documents.length < limit) return;
    before = documents.at(-1)!.id;
  }
}
