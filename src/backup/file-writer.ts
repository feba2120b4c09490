import { randomBytes } from 'node:crypto';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { RecordOf, SchemaId } from '../artifacts/avro/avro-schemas.ts';
import { encodeContainer } from '../artifacts/avro/container-writer.ts';
import type { ArchivePart } from '../artifacts/keys/log-keys.ts';
import { putArtifact } from '../artifacts/put-artifact.ts';
import { VERSION } from '../config/version.ts';
import type { Stamp } from '../core/stamp.ts';
import type { ArchivedFile } from './segment.ts';

/** Computes a digest of records, in their order. */
export interface Digest<Record> {
  add(records: readonly Record[]): void;
  readonly value: string;
}

/** Identifies the segment that a file belongs to. */
export interface SegmentName {
  readonly chain: string;
  readonly number: number;
  readonly after: Stamp;
  readonly through: Stamp;
}

export interface FileContents<Id extends SchemaId> {
  readonly part: ArchivePart;
  readonly schema: Id;
  readonly records: AsyncIterable<readonly RecordOf[Id][]>;
  readonly digest: Digest<RecordOf[Id]>;
  onProgress?(records: number): void;
}

/** Writes one of the files of a segment as a stream. It belongs to the archive only when a mark names it. */
export async function writeFile<Id extends SchemaId>(
  store: ArtifactStore,
  segment: SegmentName,
  {
    part,
    schema,
    records,
    digest,
    onProgress,
    signal,
  }: FileContents<Id> & { readonly signal?: AbortSignal | undefined },
): Promise<ArchivedFile> {
  let count = 0;
  async function* counted(): AsyncGenerator<readonly RecordOf[Id][]> {
    for await (const batch of records) {
      digest.add(batch);
      count += batch.length;
      yield batch;
      onProgress?.(count);
    }
  }
  const { chain, number, after, through } = segment;
  const body = encodeContainer({
    schema,
    records: counted(),
    doc: `Segment ${number} of the commit log ${chain}, written by tidemark ${VERSION}`,
    metadata: { 'tidemark.chain': chain, 'tidemark.segment': String(number), 'tidemark.after': String(after) },
  });
  const chance = randomBytes(4).toString('hex');
  const key = { kind: 'segment-part', part, chain, number, after, through, chance } as const;
  const { key: file, length, hashes } = await putArtifact(store, key, body, { signal });
  return { file, records: count, length, sha256: hashes['sha-256'], digest: digest.value };
}
