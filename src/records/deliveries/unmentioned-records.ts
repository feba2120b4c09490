import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { weightInSet } from '../../core/entry-weight.ts';
import type { ResourceKey } from '../../core/key.ts';
import { keyOfRecordId } from '../../core/record-key.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { ReadUpload } from '../arrivals/upload-state.ts';
import type { RecordSort } from '../digests/record-sort.ts';
import { MOST_LISTED } from '../errata/errata-writer.ts';
import { isWholeId } from '../errata/erratum.ts';
import { eachErratum } from '../errata/read-errata.ts';
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

/** Most records that a delivery may have seen and not read: their keys are in memory. */
const MOST_UNREAD = 100_000;

/**
 * Why a delivery deletes none of the records that it does not mention: it may have seen some of them, and it is not
 * known which. Undefined when the errata may say which.
 */
export function reasonToDeleteNone({
  totals: { errors, warnings = 0 },
  unknownFiles = 0,
}: Pick<ReadUpload, 'totals' | 'unknownFiles'>): string | undefined {
  if (unknownFiles > 0) return unknownFiles === 1 ? 'a file of it was not read' : `${unknownFiles} files were not read`;
  return errors > MOST_UNREAD || errors + warnings > MOST_LISTED ? 'it has too many errors' : undefined;
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
    yield { read: 0, records: [], earlier: [], problems: [deletesNone('an error of it has no id')] };
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

/** The keys of the records that a delivery saw and could not read; undefined when it is not known which they are. */
async function unreadKeys(
  artifacts: Parts['artifacts'],
  errata: ObjectKey | undefined,
): Promise<ReadonlySet<ResourceKey> | undefined> {
  const keys = new Set<ResourceKey>();
  if (errata === undefined) return keys;
  for await (const { id, warning } of eachErratum((await artifacts.get(errata)).body)) {
    if (warning) continue;
    if (!id || !isWholeId(id)) return undefined;
    keys.add(keyOfRecordId(id));
  }
  return keys;
}
