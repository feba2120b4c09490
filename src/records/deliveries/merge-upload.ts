import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { weightInSet } from '../../core/entry-weight.ts';
import { type ResourceKey, uriLengthFault } from '../../core/key.ts';
import { type EncodedState, encodeState, type Resource, type Tombstone } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { batchesOf } from '../../lib/calls/batches.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { KeptRecords } from '../again/kept-records.ts';
import type { CountedDrop } from '../arrivals/upload-state.ts';
import { digestRecords } from '../digests/digest-records.ts';
import type { DigestRow } from '../digests/digest-row.ts';
import { RecordSort, type RecordSortParts } from '../digests/record-sort.ts';
import { linksToDescribed } from './described-links.ts';
import { type ReplacedCounts, ReplacedRecords } from './replaced-records.ts';
import type { SortedRecords } from './sorted-records.ts';

/** An upload to apply, and the set to apply it to. Plain values, so that a thread can receive them. */
export interface UploadToApply {
  readonly set: Pick<ResourceSet, 'id' | 'urlPrefix' | 'publishHashes'> & {
    readonly keepVersions: boolean | undefined;
  };
  /** Key of the artifact of its records and deletions. */
  readonly records: ObjectKey;
  /** Undefined when an earlier version wrote it. */
  readonly recordsSha256: string | undefined;
  /** Number of records and deletions of each file: see ReplacedRecords. */
  readonly files: readonly number[];
  /** Time when the upload was received: seconds since 1970. */
  readonly received: number;
  /** The order of its events. */
  readonly number: number;
  /** The last stamp committed before the first of its events. */
  readonly after: Stamp;
}

export interface SortParts extends Pick<RecordSortParts, 'folder' | 'startDigester'> {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'name'>;
  /** What was sorted when this or another upload was read. */
  readonly sorted?: Pick<SortedRecords, 'take'> | undefined;
}

interface MergeParts extends SortParts {
  readonly index: Pick<ResourceStates, 'lookup'>;
  readonly kept: Pick<KeptRecords, 'has'>;
}

/** The final state of one id of an upload. */
interface UploadedRecord {
  readonly key: ResourceKey;
  /** Undefined when the record is to be deleted. */
  readonly state: EncodedState | undefined;
  /** See ChangeEvent. */
  readonly weight: number;
}

/** The change that an earlier, killed attempt made to a record. */
export type EarlierChange = 'created' | 'updated' | 'deleted';

/** One step of the work. All records are read first; nothing is posted before that. */
export interface MergeStep {
  readonly read: number;
  readonly records: readonly UploadedRecord[];
  /** For each record, the change of an earlier attempt; undefined where that changed nothing. */
  readonly earlier: readonly (EarlierChange | undefined)[];
  /** Ids that no URI of this set can have, with the reason. */
  readonly problems: readonly string[];
  /** In the last step: the records and deletions that a later one of the upload replaces. */
  readonly replaced?: ReplacedCounts;
  /** Of the records that the delivery does not mention: the deletions of the delivery that exist already. */
  readonly deletions?: number;
  /** Which records the delivery does not mention is not known. */
  readonly deletesNone?: true;
  /** In the last step of `countUnmentioned`. */
  readonly counted?: Omit<CountedDrop, 'verdict'>;
}

/** Number of records of a step, which are posted together. */
const BATCH = 2_000;
const LOOKUPS_AT_A_TIME = 2;
/** Number of uploads whose states are read at a time. */
const ASKED_AT_A_TIME = 8;

/**
 * Yields the final state of each id of an upload, ascending by key: of several records and deletions of one id, the
 * last one counts. A record that is already published, byte for byte, is yielded with its present state, so that only
 * its order rises; unless it is stored with a removed upload: then it is stored anew.
 * @throws TidemarkError `unavailable` when the artifact cannot be read, or the store does not answer
 */
export async function* mergeUpload(upload: UploadToApply, parts: MergeParts): AsyncGenerator<MergeStep> {
  const sort = yield* sortRecords(upload, parts);
  try {
    const replaced = new ReplacedRecords(upload.files);
    const batches = batchesOf(
      sort.sorted((record) => replaced.add(sort.recordsBefore(record))),
      BATCH,
    );
    const merge = (rows: readonly DigestRow[]) => mergeBatch(rows, { upload, parts, read: sort.size });
    yield* mapInOrder(batches, LOOKUPS_AT_A_TIME, merge);
    yield { read: sort.size, records: [], earlier: [], problems: [], replaced: replaced.counts };
  } finally {
    await sort.close();
  }
}

type UploadToSort = Pick<UploadToApply, 'set' | 'records' | 'recordsSha256' | 'received'>;

/** Sorts the records of an upload, unless they are sorted. The caller closes what this returns. @throws as the merge */
export async function* sortRecords(upload: UploadToSort, parts: SortParts): AsyncGenerator<MergeStep, RecordSort> {
  const { publishHashes } = upload.set;
  const taken = await parts.sorted?.take(upload.records, publishHashes);
  if (taken !== undefined) return taken;
  const sort = new RecordSort({ ...parts, publishHashes });
  let isWhole = false;
  try {
    yield* digest(upload, parts, sort);
    isWhole = true;
    return sort;
  } finally {
    if (!isWhole) await sort.close();
  }
}

async function* digest(
  { records, recordsSha256: sha256, received }: UploadToSort,
  { artifacts }: SortParts,
  sort: RecordSort,
): AsyncGenerator<MergeStep> {
  const artifact = { key: records, schema: 'stream.Record.v1', start: received, sha256 } as const;
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
  const stale = await staleArtifacts(known, parts.kept);
  return {
    read,
    problems,
    records: usable.map((row, at) => recordOf(row, known[at], { upload, stale })),
    earlier: known.map((resource) => resource && earlierChange(resource, upload)),
  };
}

function earlierChange(
  { state, order, stamp, created }: Resource | Tombstone,
  { number, after }: UploadToApply,
): EarlierChange | undefined {
  // An unchanged record has the new order, but its old stamp.
  if (order !== number || stamp <= after) return undefined;
  if (state === undefined) return 'deleted';
  return created === stamp ? 'created' : 'updated';
}

type Known = Resource | Tombstone | undefined;

/** The artifacts of states that do not stay. */
async function staleArtifacts(
  known: readonly Known[],
  kept: MergeParts['kept'],
): Promise<ReadonlySet<ObjectKey | undefined>> {
  const artifacts = new Set(known.flatMap((one) => one?.state?.record?.artifact ?? []));
  const stale = new Set<ObjectKey>();
  const ask = async (artifact: ObjectKey) => ({ artifact, isKept: await kept.has(artifact) });
  for await (const { artifact, isKept } of mapInOrder(artifacts, ASKED_AT_A_TIME, ask)) {
    if (!isKept) stale.add(artifact);
  }
  return stale;
}

function recordOf(
  row: DigestRow,
  known: Known,
  {
    upload: { set, records, received },
    stale,
  }: { readonly upload: UploadToApply; readonly stale: ReadonlySet<ObjectKey | undefined> },
): UploadedRecord {
  const { key } = row;
  if (row.isEmpty) return { key, state: undefined, weight: weightInSet(set, key, undefined) };
  const current = known?.state && encodeState(known.state);
  const place = known?.state?.record;
  const isSame = current !== undefined && place !== undefined && row.isDescribedBy(current);
  if (isSame && !stale.has(place.artifact)) return { key, state: current, weight: weightInSet(set, key, known!.state) };
  const links = linksToDescribed(row.described, set);
  return {
    key,
    state: row.stateAt(records, received, links),
    weight: weightInSet(set, key, { mime: row.mime, links }),
  };
}
