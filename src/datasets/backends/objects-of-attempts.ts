import type { ArtifactStore, ListedObject } from '../../artifacts/artifact-store.ts';
import { DATASETS_FOLDER } from '../../artifacts/keys/dataset-keys.ts';

/** Six days: a week after the last one was stored, all are removed (remove-unused.ts), and a file may take a day. */
const TAKEN_OVER_FOR_MS = 6 * 86_400_000;

/** What attempts have stored of a dataset, and is not about to be removed. */
export async function objectsOfAttempts(
  artifacts: Pick<ArtifactStore, 'objects'>,
  folder: string,
): Promise<readonly ListedObject[]> {
  const since = Date.now() - TAKEN_OVER_FOR_MS;
  const objects = await artifacts.objects(`${DATASETS_FOLDER}${folder}/`);
  return objects.some(({ modified }) => modified > since) ? objects : [];
}
