import type { Resource, Tombstone } from '../../../core/resource.ts';
import type { SetId } from '../../../core/resource-set.ts';
import type { Stamp } from '../../../core/stamp.ts';
import type { KeptRecords } from '../../../records/again/kept-records.ts';
import type { ResourceStates } from '../../../stores/resource-states.ts';
import type { Difference, SyncStep } from '../../source.ts';
import { KeyCursor, KeyMerge } from '../../sync/key-cursor.ts';
import type { SyncCounter } from '../../sync-counter.ts';
import { isAsWanted } from './same-content.ts';

interface ComparedSets {
  readonly index: Pick<ResourceStates, 'read'>;
  readonly kept: Pick<KeptRecords, 'has'>;
  readonly set: SetId;
  /** The set of the stream. */
  readonly followed: SetId;
  /**
   * Keys of the set that have changed above this boundary are skipped: another process that runs the same comparison
   * has posted them.
   */
  readonly since: Stamp;
  readonly counter: SyncCounter;
  readonly signal?: AbortSignal | undefined;
}

type Stored = Resource | Tombstone;

/** Most differences of one step. */
const DIFFERENCES = 1_000;

/**
 * Compares the states of two sets in key order, and yields the changes that give the set the state of the stream. Each
 * difference names the state that it was based on, so that only one of two processes changes a key.
 */
export async function* compareSets(compared: ComparedSets): AsyncGenerator<SyncStep> {
  const { index, kept, set, followed, counter, signal } = compared;
  const ours = new KeyCursor<Stored>(index.read(set, { tombstones: true }), keyOf);
  const theirs = new KeyCursor<Resource>(index.read(followed, {}), keyOf);
  const merge = new KeyMerge(ours, theirs);
  let differences: Difference[] = [];
  try {
    for (;;) {
      if (merge.needsBatch) {
        signal?.throwIfAborted();
        await merge.nextBatches();
      }
      const { key } = merge;
      if (key === undefined) break;
      const known = ours.takeAt(key);
      const wanted = theirs.takeAt(key);
      if (wanted !== undefined) counter.file();
      const isSame = await isAsWanted(known?.state, wanted?.state, kept);
      if (!isSame && (known?.stamp ?? 0) < compared.since) {
        differences.push({ key, state: wanted?.state, known: known?.state, basedOn: known?.stamp ?? 0 });
      } else if (wanted !== undefined) counter.unchanged();
      if (differences.length < DIFFERENCES) continue;
      yield { differences };
      differences = [];
    }
  } finally {
    await merge.close();
  }
  yield { differences };
}

function keyOf({ key }: Stored) {
  return key;
}
