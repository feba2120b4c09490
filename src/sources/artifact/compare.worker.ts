import { workerData } from 'node:worker_threads';
import { type ArtifactLocation, openArtifacts } from '../../artifacts/open-artifacts.ts';
import type { DigesterData } from '../../artifacts/records/digest.worker.ts';
import type { StoreLocation } from '../../config/configuration.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { serveCalls, startWorker } from '../../lib/workers/rpc.ts';
import { openStores } from '../../stores/open-stores.ts';
import { type Comparison, type ComparisonStep, compareRecords } from './compare-records.ts';

/** What the thread is started with. */
export interface CompareThreadData {
  readonly store: StoreLocation;
  readonly artifacts: ArtifactLocation;
  /** Where records are sorted. */
  readonly folder: string;
  readonly failpoint: string | undefined;
}

/**
 * The thread that compares records: it has its own connections to the store and to the artifacts, and posts nothing.
 */
const { store, artifacts: location, folder, failpoint } = workerData as CompareThreadData;
armFailpoint(failpoint);
const { index, close } = await openStores(store);
const artifacts = openArtifacts(location);
// What a thread makes of a record is of no use after its row: a small young generation has hardly more to copy.
const resourceLimits = { maxYoungGenerationSizeMb: 6 };
const startDigester = (data: DigesterData) =>
  startWorker('../../artifacts/records/digest.worker', import.meta.url, { workerData: data, resourceLimits });
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
