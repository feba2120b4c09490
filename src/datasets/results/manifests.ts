import { buffer } from 'node:stream/consumers';
import type { ArtifactStore, ObjectKey, StoredObject } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { DatasetManifest } from '../manifest.ts';

/** Of a dataset that was stored, or of what is known of one that was not. */
export type AnyManifest = DatasetManifest | Pick<DatasetManifest, 'notes' | 'files'>;

interface ManifestPlace {
  /** As folderOf makes it. */
  readonly folder: string;
  readonly attempt: string;
}

/** Stores a manifest, a file on each line. @throws TidemarkError as `ArtifactStore.put` */
export function putManifest(
  artifacts: Pick<ArtifactStore, 'put'>,
  { folder, attempt }: ManifestPlace,
  manifest: AnyManifest,
): Promise<StoredObject> {
  return putArtifact(artifacts, { kind: 'dataset-manifest', folder, attempt }, linesOf(manifest));
}

/** Undefined when it was removed. @throws TidemarkError `invalid` when it is damaged */
export async function readManifest(
  artifacts: Pick<ArtifactStore, 'get'>,
  key: ObjectKey,
): Promise<AnyManifest | undefined> {
  let bytes: Buffer;
  try {
    bytes = await buffer((await artifacts.get(key)).body);
  } catch (error) {
    if (isTidemarkError(error, 'not-found')) return undefined;
    throw error;
  }
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new TidemarkError('invalid', `the manifest ${key} is not JSON: restore it from a backup`, { key }, error);
  }
}

/** The files are last: a manifest has up to 10,000. */
function* linesOf({ files, ...rest }: AnyManifest): Generator<Buffer> {
  const head = JSON.stringify(rest, undefined, 2).slice(0, -1).trimEnd();
  yield Buffer.from(`${head}${head === '{' ? '' : ','}\n  "files": [`);
  for (const [at, file] of files.entries()) yield Buffer.from(`${at === 0 ? '' : ','}\n    ${JSON.stringify(file)}`);
  yield Buffer.from(files.length === 0 ? ']\n}\n' : '\n  ]\n}\n');
}
