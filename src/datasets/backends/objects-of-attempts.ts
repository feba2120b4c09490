import type { ArtifactStore, ListedObject } from '../../artifacts/artifact-store.ts';
import { DATASETS_FOLDER } from '../../artifacts/keys/dataset-keys.ts';

/** Six days: what no dataset names is removed after a week (remove-unused.ts), and an attempt may take a day. */
const TAKEN_OVER_FOR_MS = 6 * 86_400_000;

/** What attempts have stored of a dataset, and is not about to be removed. */
export async function objectsOfAttempts(
  artifacts: Pick<ArtifactStore, 'objects'>,
  folder: string,
): Promise<readonly ListedObject[]> {
  const since = Date.now() - TAKEN_OVER_FOR_MS;
  return (await artifacts.objects(`${DATASETS_FOLDER}${folder}/`)).filter(({ modified }) => modified > since);
}
