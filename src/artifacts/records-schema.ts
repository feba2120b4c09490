import { TidemarkError } from '../core/errors.ts';
import { parseKey } from './artifact-key.ts';
import type { ObjectKey } from './artifact-store.ts';
import type { SchemaId } from './avro/avro-schemas.ts';

/**
 * The schema of an Avro file, by its key.
 * @throws TidemarkError `invalid` for a key of another kind
 */
export function recordsSchemaOf(artifact: ObjectKey): SchemaId {
  const key = parseKey(artifact);
  if (key?.kind === 'avro') return key.schema;
  if (key?.kind === 'stream-records') return 'stream.Record.v1';
  throw new TidemarkError('invalid', `${artifact} is not a file of records`, { artifact });
}
