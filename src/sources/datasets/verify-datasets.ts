import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { parseDatasetKey } from '../../artifacts/keys/dataset-keys.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import { verifyStoredFile } from '../records/stream/verify-deliveries.ts';
import type { CompareOptions, Difference, Mismatch } from '../source.ts';
import { SyncCounter } from '../sync-counter.ts';
import { type ComparedDatasets, compareDatasets } from './compare-datasets.ts';

interface VerifiedDatasets extends Pick<ComparedDatasets, 'set' | 'datasets'> {
  readonly index: Pick<ResourceStates, 'lookup' | 'read'>;
  readonly artifacts: Pick<ArtifactStore, 'get'>;
}

/**
 * Compares a set with its datasets, and reads all bytes of each of its files.
 * @throws TidemarkError `unavailable` when the artifact store does not answer; the signal's reason when it is aborted
 */
export async function* verifyDatasets(
  { artifacts, ...verified }: VerifiedDatasets,
  { counter, signal }: Pick<CompareOptions, 'counter' | 'signal'>,
): AsyncGenerator<readonly Mismatch[]> {
  // This counter is discarded: files are counted when they are read.
  const compared = { ...verified, counter: new SyncCounter(), signal, isThorough: true };
  for await (const { differences } of compareDatasets(compared)) yield differences.map(describe);
  const isWanted = wantedKeys(verified.datasets);
  for await (const resources of verified.index.read(verified.set, {})) {
    for (const { key, state } of resources) {
      signal?.throwIfAborted();
      counter.file();
      const mismatch = (await isWanted(key, state))
        ? await verifyStoredFile(key, state, artifacts)
        : ({ kind: 'missing', key, message: 'is published, and is in no dataset' } as const);
      if (mismatch === undefined) counter.hashed(state.length ?? 0);
      else yield [mismatch];
    }
  }
}

/** Whether a dataset has a resource. The keys of one dataset are in memory: those of a dataset follow each other. */
function wantedKeys(datasets: ComparedDatasets['datasets']) {
  let last: { readonly folder: string; readonly keys: ReadonlySet<ResourceKey> } | undefined;
  return async (key: ResourceKey, { record }: ResourceState): Promise<boolean> => {
    const folder = record && parseDatasetKey(record.artifact)?.folder;
    if (folder === undefined) return false;
    if (last?.folder !== folder) {
      const dataset = await datasets.at(folder);
      const isThere = dataset !== undefined && dataset.removed === undefined;
      const files = isThere ? await datasets.filesOf(dataset) : [];
      last = { folder, keys: new Set(files.map((file) => file.key)) };
    }
    return last.keys.has(key);
  };
}

function describe({ key, state, known }: Difference): Mismatch {
  if (state === undefined) return { kind: 'missing', key, message: 'is published, and its dataset was taken out' };
  if (known === undefined) return { kind: 'extra', key, message: 'was ingested, and is not published' };
  return { kind: 'differing', key, message: 'differs from what was ingested' };
}
