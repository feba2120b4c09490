import { workerData } from 'node:worker_threads';
import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import { type ArtifactLocation, openArtifacts } from '../../artifacts/open-artifacts.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { serveCalls, startWorker } from '../../lib/workers/rpc.ts';
import type { StoreLocation } from '../../stores/locations.ts';
import { openStores } from '../../stores/open-stores.ts';
import { uploadsFrom } from '../again/earlier-uploads.ts';
import { KeptRecords } from '../again/kept-records.ts';
import type { ReadingPlan } from '../again/plan-reading.ts';
import type { ReadUpload } from '../arrivals/upload-state.ts';
import type { DigesterData } from '../digests/digest.worker.ts';
import type { RecordSort } from '../digests/record-sort.ts';
import { type MergeStep, mergeUpload, type UploadToApply } from './merge-upload.ts';
import { type ReadingProgress, readUpload, type UploadToRead } from './read-upload.ts';
import { SortedRecords } from './sorted-records.ts';
import {
  type AppliedDelivery,
  countUnmentioned,
  type DeliveryToCount,
  unmentionedRecords,
} from './unmentioned-records.ts';

/** Data that the thread is started with. */
export interface ProcessThreadData {
  readonly store: StoreLocation;
  readonly artifacts: ArtifactLocation;
  /** The folder where records are sorted, and nested packages are unpacked. */
  readonly folder: string;
  readonly failpoint: string | undefined;
}

/** The thread that reads an upload, and merges it with the published records. It posts nothing. */
const { store, artifacts: location, folder, failpoint } = workerData as ProcessThreadData;
armFailpoint(failpoint);
const artifacts = openArtifacts(location);
const startDigester = (data: DigesterData) =>
  startWorker('../digests/digest.worker', import.meta.url, { workerData: data });

/** Milliseconds between two reports of progress. */
const REPORT_MS = 500;

let reading: Promise<ReadUpload> | undefined;
let progress: ReadingProgress | undefined;
let stores: Awaited<ReturnType<typeof openStores>> | undefined;
let steps: AsyncIterator<MergeStep> | undefined;
/** The sorted records of the last upload that was read. */
let sorted: SortedRecords | undefined;

const functions = {
  async read(upload: UploadToRead): Promise<void> {
    await sorted?.close();
    const { publishHashes } = upload;
    const beginSort = (key: ObjectKey) => {
      sorted = new SortedRecords(key, { publishHashes, folder, startDigester });
      return sorted;
    };
    const onProgress = (now: ReadingProgress) => {
      progress = now;
    };
    if (upload.again !== undefined) stores ??= await openStores(store, { onSlow: () => {} });
    const earlier = ({ from }: ReadingPlan) => uploadsFrom(stores!.catalog, from, upload);
    reading = readUpload(upload, { artifacts, earlier, beginSort, onProgress });
    reading.catch(() => {});
  },
  /** Returns the result when everything is read; before that, the progress after a while. */
  async readOn(): Promise<{ readonly read?: ReadUpload; readonly progress: ReadingProgress | undefined }> {
    const pause = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => pause.resolve(undefined), REPORT_MS);
    try {
      const read = await Promise.race([reading!, pause.promise]);
      return { ...(read !== undefined && { read }), progress };
    } finally {
      clearTimeout(timer);
    }
  },
  async countUnmentioned(delivery: DeliveryToCount): Promise<void> {
    stores ??= await openStores(store, { onSlow: () => {} });
    const { publishHashes } = delivery.set;
    const keep = async (sort: RecordSort) => {
      await sorted?.close();
      sorted = new SortedRecords(delivery.records, { publishHashes, folder, startDigester }, sort);
    };
    steps = countUnmentioned(delivery, { index: stores.index, artifacts, folder, startDigester, sorted, keep });
  },
  async merge(upload: UploadToApply): Promise<void> {
    stores ??= await openStores(store, { onSlow: () => {} });
    const kept = new KeptRecords(stores.catalog);
    steps = mergeUpload(upload, { index: stores.index, kept, artifacts, folder, startDigester, sorted });
  },
  async deleteUnmentioned(delivery: AppliedDelivery): Promise<void> {
    stores ??= await openStores(store, { onSlow: () => {} });
    steps = unmentionedRecords(delivery, { index: stores.index, artifacts });
  },

  /** Undefined after the last step. */
  async next(): Promise<MergeStep | undefined> {
    const { done, value } = await steps!.next();
    return done ? undefined : value;
  },
};
export type ProcessFunctions = typeof functions;

serveCalls(functions, async () => {
  await steps?.return?.();
  await sorted?.close();
  await artifacts.close();
  await stores?.close();
});
