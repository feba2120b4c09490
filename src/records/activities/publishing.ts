import type { ArtifactStore, ObjectKey, StoredObject } from '../../artifacts/artifact-store.ts';
import type { DeletedRecord, DocumentSchemaId, RecordOf } from '../../artifacts/avro/avro-schemas.ts';
import { readContainer } from '../../artifacts/avro/container-reader.ts';
import { encodeContainer } from '../../artifacts/avro/container-writer.ts';
import { putJson } from '../../artifacts/json-object.ts';
import { parseAvroKey } from '../../artifacts/keys/avro-key.ts';
import { type Provenance, writeProvenance } from '../../artifacts/provenance.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { type NdjsonLine, NdjsonLines } from '../../lib/bytes/ndjson-lines.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { MAX_RECORD_BYTES } from '../input-item.ts';
import type { Gathering } from './gathering.ts';
import type { Superseded, WrittenPlace } from './id-ledger.ts';
import type { RunSummary } from './run-summary.ts';

interface PublishOptions {
  readonly store: ArtifactStore;
  readonly key: ObjectKey;
  readonly schema: DocumentSchemaId;
  readonly doc: string;
  readonly gathered: Gathering;
  readonly superseded: Superseded;
  readonly signal: AbortSignal;
  /** Called with the sent bytes of the Avro file, and their approximate total. */
  onProgress(done: number, total: number): void;
}

/**
 * Writes the Avro files of a run: the records, and the deleted ids, when there are any. Neither file exists for readers
 * yet.
 */
export async function writeFiles(
  options: PublishOptions,
): Promise<{ file: StoredObject; companion: ObjectKey | undefined }> {
  const { store, key, gathered, superseded, signal } = options;
  const name = parseAvroKey(key)!;
  const file = await putArtifact(store, name, reported(bytesOf(options), options), { signal });
  failpoint('activity.written');
  if (gathered.counts.deleted === superseded.countOf('deleted')) return { file, companion: undefined };
  const companion = { ...name, schema: 'DeletedRecord.v1' } as const;
  const records = deletedRecords(options, { provider: name.provider, deleted: name.start.getTime() });
  const body = encodeContainer({ schema: 'DeletedRecord.v1', doc: options.doc, records });
  const { key: deleted } = await putArtifact(store, companion, body, { signal });
  return { file, companion: deleted };
}

/** Writes the reports of a run: failed records, if there are any, then the summary. */
export async function writeAccount(
  { store, key, gathered: { errata }, signal }: Pick<PublishOptions, 'store' | 'key' | 'gathered' | 'signal'>,
  summary: RunSummary,
): Promise<void> {
  await errata.end();
  failpoint('activity.errata');
  await putJson(store, { kind: 'summary', of: key }, summary, { signal });
  failpoint('activity.summarized');
}

/** Publishes the files of a run; that of its records comes last. */
export async function publish(
  { store, key, signal }: Pick<PublishOptions, 'store' | 'key' | 'signal'>,
  companion: ObjectKey | undefined,
  provenance: Provenance,
): Promise<void> {
  if (companion !== undefined) await writeProvenance(store, companion, provenance, { signal });
  failpoint('activity.companion');
  await writeProvenance(store, key, provenance, { signal });
  failpoint('activity.published');
}

/** The gathered Avro file; rewritten without replaced records, if there are any. */
function bytesOf({ gathered, superseded, schema, doc, key }: PublishOptions): AsyncIterable<Uint8Array> {
  if (superseded.countOf('records') === 0) return gathered.file.read();
  async function* kept(): AsyncIterable<readonly RecordOf[DocumentSchemaId][]> {
    let ordinal = 0;
    for await (const { records } of readContainer(gathered.file.read(), { schema, name: key })) {
      yield records.filter(({ id }) => keep({ gathered, superseded }, id, { file: 'records', ordinal: ordinal++ }));
      await gathered.errata.settle();
    }
  }
  return encodeContainer({ schema, doc, records: kept() });
}

async function* deletedRecords(
  { gathered, superseded }: Pick<PublishOptions, 'gathered' | 'superseded'>,
  facts: Omit<DeletedRecord, 'id'>,
): AsyncIterable<readonly DeletedRecord[]> {
  const lines = new NdjsonLines(MAX_RECORD_BYTES);
  let ordinal = 0;
  const recordsOf = (read: readonly NdjsonLine[]): readonly DeletedRecord[] =>
    read
      .map((line) => JSON.parse('text' in line ? line.text : '') as string)
      .filter((id) => keep({ gathered, superseded }, id, { file: 'deleted', ordinal: ordinal++ }))
      .map((id) => ({ id, ...facts }));
  for await (const chunk of gathered.deletions.read()) {
    yield recordsOf(lines.push(Buffer.from(chunk)));
    await gathered.errata.settle();
  }
  yield recordsOf(lines.end());
}

function keep(
  { gathered, superseded }: Pick<PublishOptions, 'gathered' | 'superseded'>,
  id: string,
  { file, ordinal }: Omit<WrittenPlace, 'line'>,
): boolean {
  if (!superseded.has(file, ordinal)) return true;
  const lines = superseded.linesOf(file, ordinal);
  const where = lines === undefined ? 'later' : `in line ${lines.kept}`;
  const reason = `left out: its id comes again ${where}, and the last one counts`;
  gathered.errata.list({ id, line: lines?.line, kind: 'duplicate-id', reason });
  return false;
}

async function* reported(
  bytes: AsyncIterable<Uint8Array>,
  { gathered, signal, onProgress }: PublishOptions,
): AsyncIterable<Uint8Array> {
  let done = 0;
  for await (const chunk of bytes) {
    signal.throwIfAborted();
    yield chunk;
    done += chunk.length;
    onProgress(done, gathered.file.length);
    failpoint('activity.writing');
  }
}
