import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { weightInSet } from '../../core/entry-weight.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { RecordSort } from '../digests/record-sort.ts';
import { unreadKeys } from '../errata/unread-records.ts';
import { type MergeStep, type SortParts, sortRecords, type UploadToApply } from './merge-upload.ts';

/** A delivery whose events are all committed. Plain values, so that a thread can receive them. */
export interface AppliedDelivery extends Pick<UploadToApply, 'set' | 'number' | 'after'> {
  /** The artifact of its errata. */
  readonly errata: ObjectKey | undefined;
}

/** A delivery before its first event is committed, with the artifact of its errata. */
export type DeliveryToCount = Omit<UploadToApply, 'files' | 'after'> & Pick<AppliedDelivery, 'errata'>;

interface CountParts extends SortParts, Parts {
  readonly artifacts: SortParts['artifacts'];
  /** Takes the sorted records, for the merge. */
  keep(sort: RecordSort): Promise<void>;
}

interface Parts {
  readonly index: Pick<ResourceStates, 'read'>;
  readonly artifacts: Pick<ArtifactStore, 'get'>;
}

/**
 * Yields the deletion of each record of the set that a delivery did not mention, ascending by key: those with a lower
 * order than its own, but for those that it saw and could not read. None, when it is not known which these are.
 * @throws TidemarkError `unavailable` when the errata cannot be read, or the store does not answer
 */
export async function* unmentionedRecords(delivery: AppliedDelivery, parts: Parts): AsyncGenerator<MergeStep> {
  const { set, number, after } = delivery;
  const unread = await unreadKeys(parts.artifacts, delivery.errata);
  if (unread === undefined) {
    yield { read: 0, records: [], earlier: [], problems: [deletesNone('an error of it has no id')], deletesNone: true };
    return;
  }
  let read = 0;
  for await (const batch of parts.index.read(set.id, { tombstones: true })) {
    read += batch.length;
    const unmentioned = batch.filter(
      ({ key, state, order = 0 }) => state !== undefined && order < number && !unread.has(key),
    );
    const records = unmentioned.map(({ key }) => ({ key, state: undefined, weight: weightInSet(set, key, undefined) }));
    const deletions = batch.filter(({ state, order, stamp }) => !state && order === number && stamp > after).length;
    // What another attempt has deleted meanwhile is deleted by this delivery, too.
    yield { read, records, earlier: records.map(() => 'deleted'), problems: [], deletions };
  }
}

/**
 * Counts the records of the set that `unmentionedRecords` would delete after the delivery was applied. Yields no
 * records; the last step has the numbers. Without these it is not known which records the delivery saw.
 * @throws TidemarkError as `mergeUpload`
 */
export async function* countUnmentioned(delivery: DeliveryToCount, parts: CountParts): AsyncGenerator<MergeStep> {
  const { set, number } = delivery;
  const unread = await unreadKeys(parts.artifacts, delivery.errata);
  if (unread === undefined) return;
  const sort = yield* sortRecords(delivery, parts);
  await parts.keep(sort);
  const isMentioned = inOrder(sort.sorted(() => {}).map(({ key }) => key));
  let existing = 0;
  let unmentioned = 0;
  for await (const batch of parts.index.read(set.id, {})) {
    existing += batch.length;
    for (const { key, order = 0 } of batch) {
      if (!isMentioned(key) && order < number && !unread.has(key)) unmentioned += 1;
    }
    yield { read: existing, records: [], earlier: [], problems: [] };
  }
  yield { read: existing, records: [], earlier: [], problems: [], counted: { existing, unmentioned } };
}

/** Whether a key is one of ascending keys. It is asked for keys in ascending order. */
function inOrder(keys: Iterator<ResourceKey>): (key: ResourceKey) => boolean {
  let next = keys.next();
  return (key) => {
    while (!next.done && next.value < key) next = keys.next();
    return !next.done && next.value === key;
  };
}

export const deletesNone = (reason: string): string => `nothing that it does not mention is deleted: ${reason}`;
