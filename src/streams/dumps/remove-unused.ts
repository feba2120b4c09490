import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { STREAM_DUMPS_FOLDER } from '../../artifacts/keys/stream-keys.ts';
import type { StoredDumps } from './stored-dumps.ts';

/** A file of a removed dump can be fetched for so long, for clients that have its address. */
const REMOVED_AFTER_MS = 86_400_000;
/**
 * A week: much longer than a dump takes. It gives operators who made the store anew of an older archive time to see
 * that it lacks dumps.
 */
const LEFT_AFTER_MS = 7 * 86_400_000;

interface Parts {
  readonly stored: Pick<StoredDumps, 'ofOrganization'>;
  readonly artifacts: Pick<ArtifactStore, 'list' | 'folders' | 'delete'>;
}

/** Deletes files of dumps that were removed a day ago, and files that no dump has named for a week. */
export async function removeUnusedDumpFiles({ stored, artifacts }: Parts, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  for (const organization of await artifacts.folders(STREAM_DUMPS_FOLDER)) {
    // Listed before the dumps are read: what is named afterwards is not old.
    const files = await filesOf(organization, artifacts);
    for (const { files: named, removed } of await stored.ofOrganization(organization)) {
      const isOver = removed !== undefined && removed < Date.now() - REMOVED_AFTER_MS;
      for (const { artifact } of named) if (files.has(artifact)) files.set(artifact, isOver);
    }
    for (const [key, isUnused] of files) {
      if (!isUnused) continue;
      signal.throwIfAborted();
      await artifacts.delete(key);
      deleted += 1;
    }
  }
  return deleted;
}

/** Whether each would be unused if no dump named it. */
async function filesOf(organization: string, artifacts: Pick<ArtifactStore, 'list'>): Promise<Map<string, boolean>> {
  const files = new Map<string, boolean>();
  const before = Date.now() - LEFT_AFTER_MS;
  for await (const batch of artifacts.list(`${STREAM_DUMPS_FOLDER}${organization}/`)) {
    for (const { key, modified } of batch) files.set(key, modified < before);
  }
  return files;
}
