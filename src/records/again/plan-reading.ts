import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { uploadAt } from '../arrivals/record-upload.ts';
import type { NamedUpload, Upload } from '../arrivals/upload.ts';
import { filesOf, putUploadState, readUploadState, type UploadState } from '../arrivals/upload-state.ts';
import { keysLeftBy } from '../errata/unread-records.ts';
import { type EarlierUpload, isReadAgain, uploadsBelow } from './earlier-uploads.ts';
import { removedBy, withoutTexts } from './mark-removed.ts';

/** What a delivery that reads a stream again has to read. Plain values, so that a thread can receive them. */
export interface ReadingPlan {
  /** The lowest number whose files are read: that of the last full delivery, or 1. */
  readonly from: number;
  /** Of full deliveries that have left records which they could not read: below each, these keys alone are read. */
  readonly limits?: readonly { readonly below: number; readonly keys: ReadonlySet<ResourceKey> }[];
  /** Of all files. */
  readonly bytes: number;
  /** Of a removal: the artifacts that have records of the removed upload. All ids in them are read. */
  readonly stale?: readonly StaleRecords[] | undefined;
  /** Whether only these ids are read, and not all. */
  readonly isPartial: boolean;
}

/** An artifact that has records of a removed upload: its own, or that of a later delivery that has read it again. */
export interface StaleRecords {
  readonly number: number;
  readonly records: ObjectKey;
  readonly sha256: string | undefined;
  /** The errata of a delivery that has read it again. */
  readonly errata?: ObjectKey | undefined;
  /** Number of its records and deletions. */
  readonly entries: number;
  /** Whether it has a record that is not a deletion. */
  readonly hasRecords: boolean;
}

type Parts = Pick<Catalog, 'get' | 'put' | 'latest'>;
type Limits = NonNullable<ReadingPlan['limits']>;

/** Plans the reading. Call it when all uploads below the delivery have ended, and the removed one is marked. */
export async function planReading(
  { catalog, artifacts }: { readonly catalog: Parts; readonly artifacts: Pick<ArtifactStore, 'get'> },
  delivery: Upload,
): Promise<ReadingPlan> {
  const removed = removedBy(delivery);
  // What a full delivery has deleted comes back.
  const isPartial = removed !== undefined && (await uploadAt(catalog, removed))?.unmentioned === undefined;
  const stale = removed && (await staleRecords(catalog, delivery, removed));
  // Nothing of the removed upload was published.
  if (stale?.length === 0) return { from: delivery.number, bytes: 0, stale, isPartial: true };
  let from = delivery.number;
  let bytes = 0;
  const limits: Limits[number][] = [];
  for await (const earlier of uploadsBelow(catalog, delivery)) {
    from = earlier.upload.number;
    if (!isReadAgain(earlier)) continue;
    bytes += filesOf(earlier.upload, earlier.state).reduce((sum, { length }) => sum + length, 0);
    if (earlier.upload.unmentioned !== 'deleted') continue;
    const keys = await keysLeftBy(earlier.state!.read!, artifacts);
    if (keys?.size === 0) break;
    if (keys !== undefined) limits.push({ below: earlier.upload.number, keys });
  }
  return { from, limits, bytes, stale, isPartial };
}

/**
 * Marks the deliveries that have read the removed upload again, so that what they have stored is used no more.
 * Returns these artifacts, and that of the upload.
 */
async function staleRecords(catalog: Parts, delivery: Upload, removed: NamedUpload): Promise<readonly StaleRecords[]> {
  const state = (await readUploadState(catalog, removed))?.body;
  const isOwn = state?.removed?.delivery === delivery.number && state.applied !== undefined;
  if (!isOwn) return [];
  const stale = [staleOf(removed.number, state)];
  for await (const earlier of uploadsBelow(catalog, delivery, removed.number + 1)) {
    if (!hasReadAgain(earlier, delivery)) continue;
    stale.push(staleOf(earlier.upload.number, await markReplaced(catalog, earlier.upload, delivery.number)));
  }
  return stale.flatMap((one) => one ?? []);
}

function hasReadAgain({ upload, state }: EarlierUpload, { number }: Upload): boolean {
  const { by = number } = state?.replaced ?? {};
  return upload.readsAgain !== undefined && state?.read?.records !== undefined && by === number;
}

function staleOf(number: number, state: UploadState | undefined): StaleRecords | undefined {
  const { read, replaced } = state ?? {};
  if (read?.records === undefined) return undefined;
  const { records, recordsSha256: sha256, totals } = read;
  const entries = totals.records + totals.deletions;
  return { number, records, sha256, errata: replaced?.errata, entries, hasRecords: totals.records > 0 };
}

/** Returns the state. The delivery has ended, so no other process puts its state but for the same. */
async function markReplaced(catalog: Parts, earlier: Upload, by: number): Promise<UploadState | undefined> {
  const before = await readUploadState(catalog, earlier);
  if (before === undefined || before.body.replaced !== undefined) return before?.body;
  const errata = before.body.read?.errata;
  const body = { ...withoutTexts(before.body), replaced: { by, ...(errata && { errata }) } };
  return (await putUploadState(catalog, earlier, { body, before })).body;
}
