import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { UPLOADS_FOLDER } from '../../artifacts/keys/upload-keys.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { knownSince } from '../known-since.ts';
import type { Upload, UploadedFile } from './upload.ts';
import type { UploadState } from './upload-state.ts';

/**
 * A week: much longer than an upload may take. After restoring a store from an older archive, operators have this time
 * to notice that it lacks uploads.
 */
const LEFT_AFTER_MS = 7 * 86_400_000;

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'list' | 'folders' | 'delete'>;
}

/** Removes files that no upload names: of killed processes, and of clients that broke off while the store failed. */
export async function removeAbandoned({ catalog, artifacts }: Parts, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (const organization of await artifacts.folders(UPLOADS_FOLDER)) {
    const since = await knownSince(catalog, organization);
    const old = await oldFiles(artifacts, `${UPLOADS_FOLDER}${organization}/`, since);
    if (old.size === 0) continue;
    for (const { artifact } of await namedFiles(catalog, organization)) old.delete(artifact);
    for (const key of old) {
      signal.throwIfAborted();
      await artifacts.delete(key);
      removed += 1;
    }
  }
  return removed;
}

/** The files of an organization's uploads, including fetched ones, without those that are kept no longer. */
async function namedFiles(catalog: Pick<Catalog, 'latest'>, organization: string): Promise<readonly UploadedFile[]> {
  const prefix = `${organization}/`;
  const uploads = await catalog.latest<Upload>('upload', prefix);
  const states = await catalog.latest<UploadState>('upload-state', prefix);
  const isKept = new Map(states.map(({ id, body }) => [id, body.originalsRemoved === undefined]));
  const named = [...uploads.map(({ id, body }) => ({ id, files: body.files })), ...states.map(fetchedOf)];
  return named.flatMap(({ id, files }) => ((isKept.get(id) ?? true) ? files : []));
}

function fetchedOf({ id, body: { fetched: files = [] } }: CatalogDocument<UploadState>) {
  return { id, files };
}

async function oldFiles(
  artifacts: Pick<ArtifactStore, 'list'>,
  folder: string,
  since: number,
): Promise<Set<ObjectKey>> {
  const old = new Set<ObjectKey>();
  const before = Date.now() - LEFT_AFTER_MS;
  for await (const batch of artifacts.list(folder)) {
    for (const { key, modified } of batch) if (modified >= since && modified < before) old.add(key);
  }
  return old;
}
