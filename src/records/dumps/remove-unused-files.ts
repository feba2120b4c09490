import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { STREAM_DUMPS_FOLDER } from '../../artifacts/keys/stream-keys.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { knownSince } from '../known-since.ts';
import type { StoredDumps } from './stored-dumps.ts';

/** Milliseconds for which the files of a removed dump can still be fetched, for clients that have their addresses. */
export const REMOVED_AFTER_MS = 86_400_000;
/**
 * A week: much longer than a dump takes. After restoring a store from an older archive, operators have this time to
 * notice that it lacks dumps.
 */
const LEFT_AFTER_MS = 7 * 86_400_000;

interface Parts {
  readonly catalog: Pick<Catalog, 'get'>;
  readonly stored: Pick<StoredDumps, 'ofOrganization'>;
  readonly artifacts: Pick<ArtifactStore, 'list' | 'folders' | 'delete'>;
}

/** Deletes files of dumps that were removed a day ago, and files that no dump has named for a week. */
export async function removeUnusedDumpFiles(
  { catalog, stored, artifacts }: Parts,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (const organization of await artifacts.folders(STREAM_DUMPS_FOLDER)) {
    // Listed before the dumps are read: a file that is named after that is not old.
    const files = await filesOf(organization, artifacts, await knownSince(catalog, organization));
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

/** By key of a file: whether the file would be unused if no dump named it. */
async function filesOf(
  organization: string,
  artifacts: Pick<ArtifactStore, 'list'>,
  since: number,
): Promise<Map<string, boolean>> {
  const files = new Map<string, boolean>();
  const before = Date.now() - LEFT_AFTER_MS;
  for await (const batch of artifacts.list(`${STREAM_DUMPS_FOLDER}${organization}/`)) {
    for (const { key, modified } of batch) files.set(key, modified >= since && modified < before);
  }
  return files;
}
