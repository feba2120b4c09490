import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import { readChunks } from '../../artifacts/avro/packed-blocks.ts';
import type { FoundArtifact } from '../../artifacts/find-artifacts.ts';
import { openArtifact } from '../../artifacts/open-artifact.ts';
import { unreadable } from '../../artifacts/store-errors.ts';
import { TidemarkError } from '../../core/errors.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { RecordSort } from './record-sort.ts';

/** The properties of an artifact that a comparison needs, as plain values. */
export interface ComparedArtifact extends Pick<FoundArtifact, 'key' | 'schema'> {
  /** When its run began, in seconds since 1970. */
  readonly start: number;
  /** If it is known without the summary of a run. */
  readonly sha256?: string | undefined;
}

interface DigestOptions {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'name'>;
  readonly artifact: ComparedArtifact;
  readonly sort: RecordSort;
}

/** Progress of the reading. */
interface DigestProgress {
  /** Number of records that were skipped because they have no id. */
  readonly withoutId: number;
  /** Bytes read, and bytes of the artifact. */
  readonly bytes: number;
  readonly ofBytes: number;
}

/**
 * Reads an artifact once, completely, and digests of each record what a comparison and a response need.
 * @throws TidemarkError `unavailable` when it does not exist (any more), is damaged, or cannot be read: a later
 *   attempt may succeed
 */
export async function* digestRecords({ artifacts, artifact, sort }: DigestOptions): AsyncGenerator<DigestProgress> {
  const { key } = artifact;
  try {
    const { body, length } = await openArtifact(artifacts, key, { sha256: artifact.sha256 });
    yield* digestBytes({ body, length, ...artifact }, sort);
  } catch (error) {
    throw unreadable(error, key, artifacts.name);
  }
}

interface ArtifactBytes extends Pick<ComparedArtifact, 'key' | 'schema'> {
  readonly body: AsyncIterable<Uint8Array>;
  /** Bytes of the body, as far as known. */
  readonly length: number;
}

/**
 * As `digestRecords`, for an artifact that is being read or written.
 * @throws TidemarkError `invalid` when it is damaged; what `body` throws
 */
export async function* digestBytes(
  { body, length, key, schema }: ArtifactBytes,
  sort: RecordSort,
): AsyncGenerator<DigestProgress> {
  let withoutId = 0;
  const chunks = readChunks(body, { schema: documentSchema(schema), name: key });
  for await (const digested of mapInOrder(chunks, sort.begin(length), (chunk) => sort.digest(chunk))) {
    withoutId += digested.withoutId;
    yield { withoutId, bytes: digested.end, ofBytes: length };
  }
  await sort.end();
}

/** @throws TidemarkError `invalid` for an artifact whose records have no documents */
export function documentSchema(schema: ComparedArtifact['schema']): DocumentSchemaId {
  switch (schema) {
    case 'OriginalRecord.v1':
    case 'MAP.3_1.IndexRecord.v1':
    case 'MAP.4_0.MAPRecord.v1':
    case 'MAP.4_0.IndexRecord.v1':
    case 'stream.Record.v1':
      return schema;
    case 'DeletedRecord.v1':
    case 'log.Change.v1':
    case 'log.Change.v2':
    case 'log.Order.v1':
    case 'log.CatalogDocument.v1':
    case 'log.Position.v1':
      throw new TidemarkError('invalid', `records of ${schema} have no documents`);
  }
}
