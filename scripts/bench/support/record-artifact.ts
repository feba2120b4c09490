import { formatKey } from '../../../src/artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../../src/artifacts/artifact-store.ts';
import type { OriginalRecord } from '../../../src/artifacts/avro/avro-schemas.ts';
import { encodeContainer } from '../../../src/artifacts/avro/container-writer.ts';
import { writeProvenance } from '../../../src/artifacts/provenance.ts';
import { recordsWith } from './record-documents.ts';

export interface BenchArtifact {
  /** The file of documents: see record-documents.ts. */
  readonly documents: string;
  readonly records: number;
  /** The first is 1; each has documents of its own for the records that change. */
  readonly revision: number;
  /** So many records differ from those of revision 0. */
  readonly changed: number;
}

/** Writes a complete harvest of `cdl`, a day for each revision. Returns its bytes. */
export async function writeArtifact(store: ArtifactStore, artifact: BenchArtifact): Promise<number> {
  const schema = 'OriginalRecord.v1';
  const start = new Date(Date.UTC(2026, 0, 1 + artifact.revision));
  const key = formatKey({ kind: 'avro', provider: 'cdl', activity: 'harvest', start, schema });
  const { length } = await store.put(key, encodeContainer({ schema, records: revised(artifact) }));
  await writeProvenance(store, key, { generator: 'bench', version: 'bench' });
  return length;
}

async function* revised({
  documents,
  records,
  revision,
  changed,
}: BenchArtifact): AsyncGenerator<readonly OriginalRecord[]> {
  const every = Math.floor(records / Math.max(1, changed));
  let number = 0;
  for await (const batch of recordsWith(documents, records)) {
    yield batch.map((record) => {
      number += 1;
      return changed > 0 && number % every === 0 ? { ...record, document: `${record.document}${revision}` } : record;
    });
  }
}
