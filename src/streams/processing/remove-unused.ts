import { parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { STREAMS_FOLDER, type UploadReadingKey } from '../../artifacts/keys/stream-keys.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { readUploadState } from '../uploads/upload-state.ts';

/** A week: much longer than an attempt may take. */
const LEFT_AFTER_MS = 7 * 86_400_000;

interface Parts {
  readonly catalog: Pick<Catalog, 'get'>;
  readonly artifacts: Pick<ArtifactStore, 'list' | 'delete'>;
}

/**
 * Removes what attempts at processing an upload have stored that do not count: of killed processes, and of those that
 * were not the first. Returns how many artifacts there were.
 */
export async function removeUnusedReadings({ catalog, artifacts }: Parts, signal: AbortSignal): Promise<number> {
  const before = Date.now() - LEFT_AFTER_MS;
  let removed = 0;
  for await (const batch of artifacts.list(STREAMS_FOLDER)) {
    for (const { key, modified } of batch) {
      signal.throwIfAborted();
      const reading = modified < before ? readingOf(key) : undefined;
      if (reading === undefined || (await isUsed(catalog, key, reading))) continue;
      await artifacts.delete(key);
      removed += 1;
    }
  }
  return removed;
}

function readingOf(key: ObjectKey): UploadReadingKey | undefined {
  const parsed = parseKey(key);
  return parsed?.kind === 'stream-records' || parsed?.kind === 'upload-errata' ? parsed : undefined;
}

/** Artifacts of an upload whose state is unknown are used by a store that was restored to an earlier time, later. */
async function isUsed(catalog: Parts['catalog'], key: ObjectKey, upload: UploadReadingKey): Promise<boolean> {
  const read = (await readUploadState(catalog, upload))?.body.read;
  return read === undefined || key === read.records || key === read.errata;
}
