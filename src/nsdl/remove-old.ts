import { unlink } from 'node:fs/promises';
import { ifThere, type NsdlFolders } from './folders.ts';

/** A week. */
const KEPT_MS = 7 * 86_400_000;

/** Removes pieces that were ingested, and lists of handles, a week after that. */
export async function removeOld(folders: NsdlFolders): Promise<void> {
  const before = Date.now() - KEPT_MS;
  for (const place of ['donePieces', 'handles'] as const) {
    for (const { path, modified } of await folders.list(place)) if (modified < before) await ifThere(unlink(path));
  }
}
