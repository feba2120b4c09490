import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../../src/artifacts/artifact-store.ts';
import type { OriginalRecord } from '../../src/artifacts/avro/avro-schemas.ts';
import type { Codec } from '../../src/artifacts/avro/codecs.ts';
import { encodeContainer } from '../../src/artifacts/avro/container-writer.ts';
import type { Activity } from '../../src/artifacts/keys/activity.ts';
import { writeProvenance } from '../../src/artifacts/provenance.ts';

export interface WrittenArtifact {
  readonly start: string;
  readonly provider?: string;
  readonly activity?: Activity;
  readonly codec?: Codec;
  /** Leaves only so much of its bytes, as a share. */
  readonly torn?: number;
}

/** A record of XML. */
export function record(
  id: string,
  document = `<record>${id}</record>`,
  mimetype: OriginalRecord['mimetype'] = 'application/xml',
): OriginalRecord {
  return { id, provider: 'cdl', document, mimetype };
}

/** Writes a complete artifact of harvested records, and returns its key. */
export async function putArtifact(
  store: ArtifactStore,
  records: readonly OriginalRecord[],
  { start, provider = 'cdl', activity = 'harvest', codec = 'deflate', torn }: WrittenArtifact,
): Promise<ObjectKey> {
  const schema = 'OriginalRecord.v1';
  const key = formatKey({ kind: 'avro', provider, activity, start: new Date(start), schema });
  const bytes = await buffer(Readable.from(encodeContainer({ schema, codec, records: batches(records) })));
  await store.put(key, [torn === undefined ? bytes : bytes.subarray(0, Math.floor(bytes.length * torn))]);
  await writeProvenance(store, key, { generator: 'https://example.org/oai', version: 'test' });
  return key;
}

async function* batches(records: readonly OriginalRecord[]): AsyncGenerator<readonly OriginalRecord[]> {
  yield records;
}
