import type { Datasets } from '../datasets.ts';
import type { RequestDocument } from '../request.ts';
import { allRequests } from './all-requests.ts';
import type { CopyPlaces } from './copies.ts';
import type { FileEntity, FilesetEntity } from './entity.ts';
import { documentsOf, EntityIndex } from './entity-index.ts';
import { type EntityKind, fileEntity, filesetEntity, reasonToSkip } from './make-entity.ts';
import type { SkipCounts } from './skip-counts.ts';

/** The stored datasets that are exported. */
export interface ExportedDatasets {
  readonly datasets: Pick<Datasets, 'list' | 'byId' | 'manifest'>;
  /** Only requests for this set. */
  readonly set: string | undefined;
  /** For temporary data. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Where the copies of a dataset are. */
  placesOf(document: RequestDocument): Promise<CopyPlaces>;
}

interface EntityExport extends ExportedDatasets {
  readonly kind: EntityKind;
  readonly skipped: SkipCounts;
}

/**
 * The entities of all stored datasets, one for each (d11): first the requests that led to each are found, then the
 * manifests are read one at a time. Memory does not grow with their number.
 * @throws TidemarkError `unavailable`
 */
export async function* exportEntities(options: EntityExport): AsyncGenerator<FilesetEntity | FileEntity> {
  const { datasets, kind, set, folder, skipped, signal } = options;
  const index = new EntityIndex(folder);
  try {
    for await (const { id, document } of allRequests(datasets, { set }, signal)) {
      const reason = reasonToSkip(kind, document);
      if (reason === undefined) index.add(document.result!.dataset!, id);
      else skipped.add(reason);
    }
    for (const requests of index.groups()) {
      signal.throwIfAborted();
      const made = await makeEntity(options, requests);
      if (made.skipped === undefined) yield made.entity;
      else skipped.add(made.skipped);
    }
  } finally {
    index.close();
  }
}

async function makeEntity({ datasets, kind, placesOf }: EntityExport, ids: readonly string[]) {
  const all = await documentsOf(datasets, ids);
  // One may have been requested again meanwhile.
  const requests = all.filter((document) => reasonToSkip(kind, document) === undefined);
  const [latest] = requests;
  const manifest = latest && (await datasets.manifest(latest));
  if (latest === undefined || manifest === undefined || !('platform_id' in manifest)) return { skipped: 'no manifest' };
  const source = { requests, manifest, places: await placesOf(latest) };
  return kind === 'fileset' ? filesetEntity(source) : fileEntity(source);
}
