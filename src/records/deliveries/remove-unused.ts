import { parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { STREAMS_FOLDER, type UploadReadingKey } from '../../artifacts/keys/stream-keys.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { uploadAt } from '../arrivals/record-upload.ts';
import { readUploadState } from '../arrivals/upload-state.ts';
import { knownSince } from '../known-since.ts';

/** A week: much longer than an attempt may take. */
const LEFT_AFTER_MS = 7 * 86_400_000;

interface Parts {
  readonly catalog: Pick<Catalog, 'get'>;
  readonly artifacts: Pick<ArtifactStore, 'list' | 'delete'>;
}

/**
 * Removes unused artifacts of attempts at processing an upload: of killed processes, and of attempts that were not the
 * first to finish. Returns how many.
 */
export async function removeUnusedReadings({ catalog, artifacts }: Parts, signal: AbortSignal): Promise<number> {
  const before = Date.now() - LEFT_AFTER_MS;
  let removed = 0;
  for await (const batch of artifacts.list(STREAMS_FOLDER)) {
    for (const { key, modified } of batch) {
      signal.throwIfAborted();
      const reading = modified < before ? readingOf(key) : undefined;
      // Most are used, so that is asked first.
      if (reading === undefined || (await isUsed(catalog, key, reading))) continue;
      if (modified < (await knownSince(catalog, reading.organization))) continue;
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

/**
 * Whether a state names the artifact. An upload without a state counts as using it: the store may have been restored to
 * an earlier time, and use it later; but not one of a stream that was removed.
 */
async function isUsed(catalog: Parts['catalog'], key: ObjectKey, upload: UploadReadingKey): Promise<boolean> {
  const { read, removed, replaced } = (await readUploadState(catalog, upload))?.body ?? {};
  if (removed !== undefined || replaced !== undefined) return false;
  if (read === undefined) return !(await uploadAt(catalog, upload))?.ofRemovedStream;
  return key === read.records || key === read.errata;
}
