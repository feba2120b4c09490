import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { PARTS_FOLDER } from '../../../artifacts/keys/upload-keys.ts';
import { removeParts, storedParts } from './parts.ts';
import { KEPT_MS } from './resumable-upload.ts';

/**
 * Removes parts of unregistered uploads, a day after the last of each: they exist after a store was restored from an
 * archive. Returns of how many uploads.
 * @param known ids of the registered uploads
 */
export async function removeStrayParts(
  artifacts: Pick<ArtifactStore, 'put' | 'get' | 'delete' | 'list' | 'folders' | 'name'>,
  known: ReadonlySet<string>,
  now: number,
): Promise<number> {
  let removed = 0;
  for (const organization of await artifacts.folders(PARTS_FOLDER)) {
    for (const id of await artifacts.folders(`${PARTS_FOLDER}${organization}/`)) {
      if (known.has(id)) continue;
      const stray = { organization, id, length: 0 };
      const parts = await storedParts(artifacts, stray);
      if (parts.some(({ modified }) => modified + KEPT_MS > now)) continue;
      await removeParts(artifacts, stray);
      if (parts.length > 0) removed += 1;
    }
  }
  return removed;
}
