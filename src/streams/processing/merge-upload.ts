import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { digestRecords } from '../../artifacts/records/digest-records.ts';
import type { DigestRow } from '../../artifacts/records/digest-row.ts';
import { RecordSort, type RecordSortParts } from '../../artifacts/records/record-sort.ts';
import { MARC_TYPE } from '../../artifacts/records/walk-records.ts';
import { weightInSet } from '../../core/entry-weight.ts';
import { type ResourceKey, uriLengthFault } from '../../core/key.ts';
import { type EncodedState, encodeState, type Resource, type Tombstone } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { mapInOrder } from '../../lib/map-in-order.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SortedRecords } from './sorted-records.ts';

/** What is to be applied of an upload, and to which set; plain values, for a thread. */
export interface UploadToApply {
  readonly set: Pick<ResourceSet, 'id' | 'urlPrefix' | 'publishHashes'> & {
    readonly keepVersions: boolean | undefined;
  };
  /** Its records and deletions. */
  readonly records: ObjectKey;
  /** When the upload was received: seconds since 1970. */
  readonly received: number;
  /** The order of its events. */
  readonly number: number;
  /** What was committed last before the first of them. */
  readonly after: Stamp;
}

export interface MergeParts extends Pick<RecordSortParts, 'folder' | 'startDigester'> {
  readonly index: Pick<ResourceStates, 'lookup'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'name'>;
  /** What was sorted when the upload was read, or another one. */
  readonly sorted?: Pick<SortedRecords, 'take'> | undefined;
}

/** What an upload says of an id, finally. */
export interface UploadedRecord {
  readonly key: ResourceKey;
  /** Undefined when it is to be deleted. */
  readonly state: EncodedState | undefined;
  /** See ChangeEvent. */
  readonly weight: number;
}

/** What an earlier attempt, which was killed, has made of a record. */
export type EarlierChange = 'created' | 'updated' | 'deleted';

/** A part of the work. Records are read first, all of them; nothing is posted before. */
export interface MergeStep {
  readonly read: number;
  readonly records: readonly UploadedRecord[];
  /** Of each record; undefined where nothing was changed. */
  readonly earlier: readonly (EarlierChange | undefined)[];
  /** Ids that no URI can have here, with the reason. */
  readonly problems: readonly string[];
}

/** Records of a step: events that are posted together. */
const BATCH = 2_000;
const LOOKUPS_AT_A_TIME = 2;

/**
 * What an upload makes of each of its ids, ascending by key: of several records and deletions of one id, the last one
 * counts. A record that is published already, byte for byte, is given as its present state, so that only its order
 * rises.
 * @throws TidemarkError `unavailable` when the artifact cannot be read, or the store does not answer
 */
export async function* mergeUpload(upload: UploadToApply, parts: MergeParts): AsyncGenerator<MergeStep> {
  const { publishHashes } = upload.set;
  const taken = await parts.sorted?.take(upload.records, publishHashes);
  const sort = taken ?? new RecordSort({ ...parts, publishHashes });
  try {
    if (taken === undefined) yield* digest(upload, parts, sort);
    const batches = batchesOf(sort.sorted(() => {}));
    const merge = (rows: readonly DigestRow[]) => mergeBatch(rows, { upload, parts, read: sort.size });
    yield* mapInOrder(batches, LOOKUPS_AT_A_TIME, merge);
  } finally {
    await sort.close();
  }
}

async function* digest(
  { records, received }: UploadToApply,
  { artifacts }: MergeParts,
  sort: RecordSort,
): AsyncGenerator<MergeStep> {
  const artifact = { key: records, schema: 'stream.Record.v1', start: received } as const;
  for await (const _ of digestRecords({ artifacts, artifact, sort })) {
    yield { read: sort.size, records: [], earlier: [], problems: [] };
  }
}

interface Merging {
  readonly upload: UploadToApply;
  readonly parts: MergeParts;
  readonly read: number;
}

async function mergeBatch(rows: readonly DigestRow[], { upload, parts, read }: Merging): Promise<MergeStep> {
  const { id, urlPrefix } = upload.set;
  const problems: string[] = [];
  const usable = rows.filter(({ key }) => {
    const fault = uriLengthFault(urlPrefix, key);
    if (fault !== undefined) problems.push(`the URI of ${key.slice(0, 80)} would have ${fault.text}`);
    return fault === undefined;
  });
  const known = await parts.index.lookup(
    id,
    usable.map(({ key }) => key),
  );
  return {
    ...{ read, problems },
    records: usable.map((row, at) => recordOf(row, known[at], upload)),
    earlier: known.map((resource) => resource && earlierChange(resource, upload)),
  };
}

function earlierChange(
  { state, order, stamp, created }: Resource | Tombstone,
  { number, after }: UploadToApply,
): EarlierChange | undefined {
  // One that was the same already has the order, and its old stamp.
  if (order !== number || stamp <= after) return undefined;
  if (state === undefined) return 'deleted';
  return created === stamp ? 'created' : 'updated';
}

function recordOf(
  row: DigestRow,
  known: Resource | Tombstone | undefined,
  { set, records, received }: UploadToApply,
): UploadedRecord {
  const { key } = row;
  if (row.isEmpty) return { key, state: undefined, weight: weightInSet(set, key, undefined) };
  const current = known?.state && encodeState(known.state);
  const isSame = current !== undefined && known!.state!.record !== undefined && row.isDescribedBy(current);
  if (isSame) return { key, state: current, weight: weightInSet(set, key, known!.state) };
  return { key, state: row.stateAt(records, received), weight: weightInSet(set, key, { mime: MARC_TYPE }) };
}

function* batchesOf(rows: Iterable<DigestRow>): Generator<readonly DigestRow[]> {
  let batch: DigestRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
