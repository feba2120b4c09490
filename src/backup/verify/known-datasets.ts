import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { Dataset } from '../../datasets/dataset.ts';
import type { ManifestFile } from '../../datasets/manifest.ts';
import type { RequestDocument } from '../../datasets/request.ts';
import { type AnyManifest, readManifest } from '../../datasets/results/manifests.ts';
import type { Catalog, CatalogKind } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import type { KnownArtifact } from './known-artifact.ts';

interface Parts {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'folders'>;
  readonly catalog: Pick<Catalog, 'latest'>;
}

/** Documents that are read at a time. */
const PAGE = 250;
const RESTORE = 'restore it from a backup of the artifact store';

/** The manifests of datasets, and their files; of a web archive, each file is a range. */
export async function* datasetFiles({ artifacts, catalog }: Parts): AsyncGenerator<KnownArtifact> {
  for await (const { id, manifest, removed } of bodies<Dataset>(catalog, 'dataset')) {
    if (removed !== undefined) continue;
    const { artifact: key, sha256 } = manifest;
    yield { key, expected: { sha256 }, what: `the manifest of the dataset ${id}`, remedy: RESTORE };
    const read = await manifestOf(artifacts, key);
    if (read === undefined) continue;
    const bundle = 'bundle' in read ? [read.bundle] : [];
    for (const file of [...bundle, ...read.files]) yield* storedFile(id, file);
  }
  for await (const { request, result } of bodies<RequestDocument>(catalog, 'dataset-request')) {
    if (result?.hit !== false || result.manifest === undefined) continue;
    const what = `the manifest of what was not ingested of ${request.base_url}`;
    yield { key: result.manifest, expected: 'json', what, remedy: 'ingest it again with "tidemark datasets retry"' };
  }
}

function* storedFile(dataset: string, file: ManifestFile | undefined): Generator<KnownArtifact> {
  const { stored, sha256, path } = file ?? {};
  // An empty range has no bytes to compare.
  if (stored === undefined || sha256 === undefined || stored.length === 0) return;
  const { artifact: key, offset: start, length } = stored;
  const range = { start, length };
  const what = `the file ${JSON.stringify(path)} of the dataset ${dataset}`;
  yield { key, ...(start > 0 && { range }), expected: { sha256 }, what, remedy: RESTORE };
}

/** Undefined where it is damaged, missing or unreadable: it is yielded itself, and found to be so. */
async function manifestOf(artifacts: Parts['artifacts'], key: string): Promise<AnyManifest | undefined> {
  try {
    return await readManifest(artifacts, key);
  } catch (error) {
    const isUnreadable = isTidemarkError(error, 'unavailable');
    if (!isUnreadable && !isTidemarkError(error, 'invalid')) throw error;
    // Fails when it is the store that does not answer.
    if (isUnreadable) await artifacts.folders('');
    return undefined;
  }
}

async function* bodies<Body>(catalog: Parts['catalog'], kind: CatalogKind): AsyncGenerator<Body> {
  for await (const { documents } of latestPages<Body>(catalog, { kind, prefix: '', limit: PAGE })) {
    yield* documents.map(({ body }) => body);
  }
}
