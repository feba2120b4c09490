import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { RecordOf, SchemaId } from '../artifacts/avro/avro-schemas.ts';
import { readContainer } from '../artifacts/avro/container-reader.ts';
import { TidemarkError } from '../core/errors.ts';
import type { Digest } from './file-writer.ts';
import type { ArchivedFile } from './segment.ts';

/**
 * Reads a file of a segment, a block at a time.
 * @throws TidemarkError `not-found` when it is missing; `invalid` when it is damaged, or not the one that the segment
 *   names; at the latest after its last record
 */
export async function* readFile<Id extends SchemaId>(
  store: ArtifactStore,
  { file, records: count, digest: expected }: ArchivedFile,
  { schema, digest }: { readonly schema: Id; readonly digest: Digest<RecordOf[Id]> },
): AsyncGenerator<readonly RecordOf[Id][]> {
  const { body } = await store.get(file);
  let read = 0;
  for await (const { records } of readContainer(body, { schema, name: `${store.name}/${file}` })) {
    digest.add(records);
    read += records.length;
    yield records;
  }
  if (read === count && digest.value === expected) return;
  throw new TidemarkError(
    'invalid',
    `${file} in ${store.name} is not the file that its segment names: it has ${read} records, of ${count}, or other ones`,
    { file },
  );
}
