import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { isTidemarkError } from '../../../core/errors.ts';
import type { Resource } from '../../../core/resource.ts';
import type { SetId } from '../../../core/resource-set.ts';
import { mapInOrder } from '../../../lib/calls/map-in-order.ts';
import type { RecordReader } from '../../../records/digests/record-reader.ts';
import type { ResourceStates } from '../../../stores/resource-states.ts';
import type { CompareOptions, Mismatch } from '../../source.ts';

export interface CheckedRecords {
  readonly set: SetId;
  readonly index: Pick<ResourceStates, 'read'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'name'>;
}

/** Number of resources that are sorted by their place at a time: about 10 MB. */
const SORTED = 20_000;
/** Most blocks to read at the same time. */
const READ_AT_ONCE = 4;

/**
 * Reads the record of every state from its artifact, and checks its digest.
 * @throws TidemarkError `unavailable` when the artifact store does not answer; the signal's reason when it is aborted
 */
export async function* checkRecords(
  { set, index, artifacts }: CheckedRecords,
  { counter, signal }: Pick<CompareOptions, 'counter' | 'signal'>,
): AsyncGenerator<readonly Mismatch[]> {
  // A reader of its own, because a shared one would not read cached blocks again. Avro is loaded when it is needed.
  const { RecordReader } = await import('../../../records/digests/record-reader.ts');
  const records = new RecordReader(artifacts);
  for await (const resources of gathered(index.read(set, {}), SORTED)) {
    const mismatches: Mismatch[] = [];
    const check = (resource: Resource) => mismatchOf(resource, records);
    for await (const [mismatch, length] of mapInOrder(byPlace(resources), READ_AT_ONCE, check)) {
      signal?.throwIfAborted();
      counter.file();
      if (mismatch === undefined) counter.hashed(length);
      else mismatches.push(mismatch);
    }
    yield mismatches;
  }
}

async function mismatchOf(
  { key, state: { record, hashes, length = 0 } }: Resource,
  records: Pick<RecordReader, 'read'>,
): Promise<readonly [Mismatch | undefined, number]> {
  const digest = hashes?.['sha-256'];
  if (record === undefined || digest === undefined) {
    return [{ kind: 'missing', key, message: 'is published, and is in no upload' }, length];
  }
  try {
    const { document } = await records.read(record, digest);
    if (document.length === length) return [undefined, length];
    return [{ kind: 'differing', key, message: 'differs in length' }, length];
  } catch (error) {
    // The error names the artifact when that is the cause, rather than its store.
    if (!isTidemarkError(error, 'unavailable') || error.details.artifact === undefined) throw error;
    return [{ kind: 'unreadable', key, message: error.message }, length];
  }
}

/** Sorts by the order of blocks in their artifacts, so that each block is read once. */
function byPlace(resources: readonly Resource[]): readonly Resource[] {
  return resources.toSorted(({ state: { record: one } }, { state: { record: other } }) => {
    if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? -1 : 1;
    if (one.artifact !== other.artifact) return one.artifact < other.artifact ? -1 : 1;
    return one.offset - other.offset || one.position - other.position;
  });
}

async function* gathered<Item>(batches: AsyncIterable<readonly Item[]>, most: number): AsyncGenerator<readonly Item[]> {
  let items: Item[] = [];
  for await (const batch of batches) {
    items.push(...batch);
    if (items.length < most) continue;
    yield items;
    items = [];
  }
  if (items.length > 0) yield items;
}
