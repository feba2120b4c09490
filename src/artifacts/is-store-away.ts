import { isArtifactStoreAway, isTidemarkError } from '../core/errors.ts';
import type { ArtifactStore } from './artifact-store.ts';

/** Whether the artifact store is at fault for an error. A folder that is not mounted is an empty one. */
export async function isStoreAway(error: unknown, artifacts: Pick<ArtifactStore, 'folders'>): Promise<boolean> {
  if (isArtifactStoreAway(error)) return true;
  if (!isTidemarkError(error, 'not-found') && !isTidemarkError(error, 'unavailable')) return false;
  if ((error.details.key ?? error.details.artifact) === undefined) return false;
  return (await artifacts.folders('').catch(() => [])).length === 0;
}
