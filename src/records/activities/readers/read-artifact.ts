import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import type { DocumentSchemaId } from '../../../artifacts/avro/avro-schemas.ts';
import { readContainer } from '../../../artifacts/avro/container-reader.ts';
import type { FoundArtifact } from '../../../artifacts/find-artifacts.ts';
import { openArtifact } from '../../../artifacts/open-artifact.ts';
import type { InputBatch, InputItem } from '../../input-item.ts';
import type { RecordSource } from './record-source.ts';

/** Reads the records of artifacts, one artifact after the other. */
export function openSourceArtifacts(
  store: ArtifactStore,
  artifacts: readonly FoundArtifact[],
  signal: AbortSignal,
): RecordSource {
  const total = artifacts.reduce((sum, { length }) => sum + length, 0);
  return { total: { count: total, unit: 'bytes' }, read: () => readAll(store, artifacts, signal) };
}

async function* readAll(
  store: ArtifactStore,
  artifacts: readonly FoundArtifact[],
  signal: AbortSignal,
): AsyncIterable<InputBatch> {
  let before = 0;
  for (const { key, schema, length } of artifacts) {
    const { body } = await openArtifact(store, key, { signal });
    for await (const { place, records } of readContainer(body, { schema: schema as DocumentSchemaId, name: key })) {
      yield { items: records.map(itemOf), done: before + place.offset + place.length };
    }
    before += length;
  }
}

function itemOf(record: { readonly id: string; readonly document: string }): InputItem {
  return {
    kind: 'record',
    id: record.id,
    document: record.document,
    ...('mimetype' in record && { mimetype: record.mimetype as never }),
  };
}
