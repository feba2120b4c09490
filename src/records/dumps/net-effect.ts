import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { ResourceKey } from '../../core/key.ts';
import { recordIdOfKey } from '../../core/record-key.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { RecordReader } from '../digests/record-reader.ts';
import type { ChangedRow } from './changed-rows.ts';
import { digestOfRow } from './placed-rows.ts';

interface NetEffectParts {
  readonly index: Pick<SetStatistics, 'history'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'name'>;
}

/** A record that a client needs, by its row; or the id of a record that it has to delete. */
type Effect = { readonly row: string } | { readonly deleted: string };

/** Number of former states that are read at a time. */
const AT_A_TIME = 16;

/**
 * Yields the net effect of the changes after a boundary. Records that were created and deleted again, and records with
 * the same bytes as before, are left out.
 */
export async function* netEffect(
  changed: Iterable<ChangedRow>,
  { set, after }: { readonly set: SetId; readonly after: Stamp },
  { index, artifacts }: NetEffectParts,
): AsyncGenerator<Effect> {
  const reader = new RecordReader(artifacts);
  const formerOf = async (key: ResourceKey): Promise<ResourceState | undefined> =>
    (await index.history(set, key, { before: after, limit: 1 }))[0]?.state;
  const effectOf = async ({ key, existed, again, row }: ChangedRow): Promise<Effect | undefined> => {
    if (!existed) return row === undefined ? undefined : { row };
    if (row === undefined) return { deleted: recordIdOfKey(key) ?? (await idOf(await formerOf(key), reader)) };
    // A single change is a change of the bytes, since an upload repeats the state of an unchanged record. The only
    // exception is the first upload after more hashes were configured for the set.
    if (!again) return { row };
    const former = await formerOf(key);
    return former?.hashes?.['sha-256'] === digestOfRow(row) ? undefined : { row };
  };
  for await (const effect of mapInOrder(changed, AT_A_TIME, effectOf)) if (effect !== undefined) yield effect;
}

/** The id of a record, read from its bytes: its key contains only a digest of a very long id. */
async function idOf(former: ResourceState | undefined, reader: RecordReader): Promise<string> {
  const { record, hashes } = former!;
  return (await reader.read(record!, hashes!['sha-256']!)).id;
}
