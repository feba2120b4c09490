import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { RecordPlace, ResourceState } from '../../core/resource.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { WalkedRecord } from '../../records/digests/walk-records.ts';
import type { ListedRecord, StoredRecord } from './profile.ts';

/** Reads records of artifacts by their places: see records/digests/record-reader.ts. */
export interface RecordSource {
  /** @throws TidemarkError `unavailable` when the record cannot be read */
  read(place: RecordPlace, digest: string): Promise<WalkedRecord>;
}

/** Number of blocks that are read at a time. */
const BLOCKS_AT_ONCE = 4;

interface LiveRecord extends ListedRecord {
  readonly state: ResourceState;
}

/**
 * Reads the records of a list, block by block in the order of their artifacts; undefined for a deletion. One that
 * cannot be read makes all of them fail: a list without it would be wrong.
 * @throws TidemarkError `unavailable`
 */
export async function readRecords(
  records: readonly ListedRecord[],
  source: RecordSource,
): Promise<readonly (StoredRecord | undefined)[]> {
  const live = records.filter((record): record is LiveRecord => record.state !== undefined);
  const blocks = [...Map.groupBy(live, blockOf).values()].sort(([one], [other]) => inOrder(one!, other!));
  const found = new Map<ListedRecord, StoredRecord>();
  const readBlock = async (block: readonly LiveRecord[]) => {
    for (const record of block) found.set(record, await readRecord(record.state, source));
  };
  for await (const _ of mapInOrder(blocks, BLOCKS_AT_ONCE, readBlock));
  return records.map((record) => found.get(record));
}

/** @throws TidemarkError `unavailable` */
export async function readRecord(state: ResourceState, source: RecordSource): Promise<StoredRecord> {
  const { record, hashes } = state;
  const digest = hashes?.['sha-256'];
  if (record !== undefined && digest !== undefined) return { ...(await source.read(record, digest)), state };
  throw new TidemarkError('unavailable', 'the store does not know in which artifact a record of this set is');
}

/**
 * Undefined when the artifact of the record does not exist any more.
 * @throws TidemarkError `unavailable` when it cannot be read for another reason
 */
export async function readUnlessGone(state: ResourceState, source: RecordSource): Promise<StoredRecord | undefined> {
  try {
    return await readRecord(state, source);
  } catch (error) {
    if (error instanceof TidemarkError && isTidemarkError(error.cause, 'not-found')) return undefined;
    throw error;
  }
}

function blockOf({ state: { record } }: LiveRecord): string {
  return record === undefined ? '' : `${record.artifact} ${record.offset}`;
}

function inOrder({ state: { record: one } }: LiveRecord, { state: { record: other } }: LiveRecord): number {
  if (one?.artifact !== other?.artifact) return (one?.artifact ?? '') < (other?.artifact ?? '') ? -1 : 1;
  return (one?.offset ?? 0) - (other?.offset ?? 0);
}
