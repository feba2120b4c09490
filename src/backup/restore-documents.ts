import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { LogDocument } from '../artifacts/avro/avro-schemas.ts';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import type { StoredSet } from '../core/stored-set.ts';
import type { Catalog, CatalogDocument, CatalogKind } from '../stores/catalog.ts';
import { catalogId } from '../stores/document-of-set.ts';
import { CATALOG_KINDS, RecordDigest } from './catalog-documents.ts';
import { readFile } from './file-reader.ts';
import { requireUnderWay } from './rebuild-state.ts';
import type { SegmentMark } from './segment.ts';

/** Number of documents that are put at a time: on Elasticsearch, each waits for a refresh. */
const AT_ONCE = 8;

/** The catalog of an archive. */
export async function readArchivedDocuments(store: ArtifactStore, mark: SegmentMark): Promise<readonly LogDocument[]> {
  const documents: LogDocument[] = [];
  const options = { schema: 'log.CatalogDocument.v1', digest: new RecordDigest() } as const;
  for await (const batch of readFile(store, mark.documents, options)) documents.push(...batch);
  for (const { kind } of documents) requireKind(kind);
  return documents;
}

export function setsOf(documents: readonly LogDocument[]): readonly StoredSet[] {
  return documents.filter(({ kind }) => kind === 'set').map(({ body }) => JSON.parse(body));
}

/** Makes sets, including removed ones, so that changes can be recorded; `putDocuments` sets their properties. */
export async function openSets(catalog: Catalog, sets: readonly StoredSet[]): Promise<void> {
  const known = new Set((await catalog.list('set')).map(({ id }) => id));
  const missing = sets.filter(({ id }) => !known.has(catalogId(id)));
  await each(missing, async ({ removed: _, ...set }) => {
    await catalog.put<StoredSet>('set', catalogId(set.id), { ...set, ready: false }, undefined).catch(ignoreConflict);
  });
}

/** Puts the catalog of the archive. Idempotent. @throws TidemarkError `conflict` when the store is already complete */
export async function putDocuments(catalog: Catalog, documents: readonly LogDocument[]): Promise<void> {
  const known = new Map<string, CatalogDocument<unknown>>();
  for (const kind of new Set(documents.map(({ kind }) => kind as CatalogKind))) {
    for (const document of await catalog.list<unknown>(kind)) known.set(`${kind} ${document.id}`, document);
  }
  await requireUnderWay(catalog);
  await each(documents, async ({ kind, id, body }) => {
    const before = known.get(`${kind} ${id}`);
    if (before !== undefined && JSON.stringify(before.body) === body) return;
    await catalog.put<unknown>(kind as CatalogKind, id, JSON.parse(body), before?.version);
  });
}

async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(work));
}

/** Ignores the conflict of another process that makes the same store. */
function ignoreConflict(error: unknown): void {
  if (!isTidemarkError(error, 'conflict')) throw error;
}

function requireKind(kind: string): void {
  if (CATALOG_KINDS.some((known) => known === kind)) return;
  throw new TidemarkError('incompatible', `the archive holds documents of the kind "${kind}": use a newer version`);
}
