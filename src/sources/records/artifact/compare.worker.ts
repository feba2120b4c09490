import { workerData } from 'node:worker_threads';
import { type ArtifactLocation, openArtifacts } from '../../../artifacts/open-artifacts.ts';
import { armFailpoint } from '../../../lib/failpoint.ts';
import { serveCalls, startWorker } from '../../../lib/workers/rpc.ts';
import type { DigesterData } from '../../../records/digests/digest.worker.ts';
import type { StoreLocation } from '../../../stores/locations.ts';
import { openStores } from '../../../stores/open-stores.ts';
import { type Comparison, type ComparisonStep, compareRecords } from './compare-records.ts';

/** Data that the thread is started with. */
export interface CompareThreadData {
  readonly store: StoreLocation;
  readonly artifacts: ArtifactLocation;
  /** The folder in which records are sorted. */
  readonly folder: string;
  readonly failpoint: string | undefined;
}

/**
 * The thread that compares records. It has its own connections to the store and to the artifacts, and posts nothing.
 */
const { store, artifacts: location, folder, failpoint } = workerData as CompareThreadData;
armFailpoint(failpoint);
const { index, close } = await openStores(store, { onSlow: () => {} });
const artifacts = openArtifacts(location);
const startDigester = (data: DigesterData) =>
  startWorker('../../../records/digests/digest.worker', import.meta.url, { workerData: data });
let steps: AsyncIterator<ComparisonStep> | undefined;

const functions = {
  begin(comparison: Comparison): void {
    steps = compareRecords(comparison, { index, artifacts, folder, startDigester });
  },
  /** Undefined after the last step. */
  async next(): Promise<ComparisonStep | undefined> {
    const { done, value } = await steps!.next();
    return done ? undefined : value;
  },
};
export type CompareFunctions = typeof functions;

serveCalls(functions, async () => {
  await steps?.return?.();
  await artifacts.close();
  await close();
});
