import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { readChunks, unpackChunk } from '../../artifacts/avro/packed-blocks.ts';
import { openArtifact } from '../../artifacts/open-artifact.ts';
import { unreadable } from '../../artifacts/store-errors.ts';
import { RecordWalk, type WalkedRecord } from '../digests/walk-records.ts';

interface StoredRecords {
  readonly records: ObjectKey;
  /** Undefined when an earlier version wrote it. */
  readonly sha256?: string | undefined;
}

/**
 * Reads the records and deletions of an upload as they are stored, block by block: documents refer to memory that is
 * released when the next block is requested. A deletion has an empty document.
 * @throws TidemarkError `unavailable` when the artifact cannot be read, or is damaged
 */
export async function* storedRecords(
  artifacts: Pick<ArtifactStore, 'get' | 'name'>,
  { records: key, sha256 }: StoredRecords,
): AsyncGenerator<readonly WalkedRecord[]> {
  try {
    const { body } = await openArtifact(artifacts, key, { sha256 });
    for await (const chunk of readChunks(body, { schema: 'stream.Record.v1', name: key })) {
      for (const block of unpackChunk(chunk)) {
        const walk = new RecordWalk(block);
        yield Array.from({ length: block.place.records }, () => walk.next()!);
      }
    }
  } catch (error) {
    throw unreadable(error, key, artifacts.name);
  }
}
