import { parseDatasetKey } from '../../artifacts/keys/dataset-keys.ts';
import { encodeState, type ResourceState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import { type Dataset, folderOf } from '../../datasets/dataset.ts';
import { type PublishedFile, publishedManifest } from '../../datasets/published-dataset.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { CompareOptions, Difference, SyncStep } from '../source.ts';

/** The datasets that a set is compared with. */
export interface DatasetsOfSet {
  /** All of them, some at a time, those included that were taken out. */
  pages(): AsyncIterable<readonly Dataset[]>;
  /** Undefined when the set has no such dataset. */
  at(folder: string): Promise<Dataset | undefined>;
  /** All resources of a dataset: its manifest is the last. */
  filesOf(dataset: Dataset): Promise<readonly PublishedFile[]>;
}

export interface ComparedDatasets extends Pick<CompareOptions, 'counter' | 'signal'> {
  readonly index: Pick<ResourceStates, 'lookup'>;
  readonly set: SetId;
  readonly datasets: DatasetsOfSet;
  /** Compares each file, although the manifest is published as it is. */
  readonly isThorough: boolean;
}

/** Keys that are looked up at a time. */
const LOOKUP = 1_000;

/**
 * Compares datasets with the set. A dataset is one step, so that one commit has all of it: its manifest is published
 * only together with its files, and one whose manifest is published needs no further reading.
 */
export async function* compareDatasets(compared: ComparedDatasets): AsyncGenerator<SyncStep> {
  for await (const page of compared.datasets.pages()) {
    const known = await statesOf(page.map(publishedManifest), compared);
    for (const [at, dataset] of page.entries()) {
      compared.signal?.throwIfAborted();
      if (!compared.isThorough && isPublished(dataset, known[at]?.state)) {
        compared.counter.file();
        compared.counter.unchanged();
        continue;
      }
      yield { differences: await differencesOf(dataset, compared) };
    }
  }
}

/** Compares the datasets of some folders. */
export async function* compareFolders(
  compared: ComparedDatasets,
  folders: readonly string[],
): AsyncGenerator<SyncStep> {
  for (const folder of folders) {
    compared.signal?.throwIfAborted();
    const dataset = await compared.datasets.at(folder);
    if (dataset !== undefined) yield { differences: await differencesOf(dataset, compared) };
  }
}

function isPublished(dataset: Dataset, known: ResourceState | undefined): boolean {
  if (dataset.removed !== undefined) return known === undefined;
  return isSame(publishedManifest(dataset).state, known);
}

async function differencesOf(dataset: Dataset, compared: ComparedDatasets): Promise<readonly Difference[]> {
  const { counter, datasets } = compared;
  const files = await datasets.filesOf(dataset);
  const found = await statesOf(files, compared);
  const other = await otherWithKey(found.at(-1)?.state, dataset, datasets);
  if (other !== undefined) {
    const problem = `is not published: the dataset ${other.id} (${other.platform.name}) has the same key`;
    counter.problem({ path: dataset.id, problem });
    return [];
  }
  return files.flatMap(({ key, state: stored }, at): Difference[] => {
    const known = found[at]?.state;
    // Superseded when another process was faster.
    const basedOn = found[at]?.stamp ?? 0;
    const state = dataset.removed === undefined ? stored : undefined;
    if (state !== undefined) counter.file();
    if (state === undefined ? known === undefined : isSame(state, known)) {
      if (state !== undefined) counter.unchanged();
      return [];
    }
    return [{ key, state, known, basedOn }];
  });
}

/** The dataset of another platform's name whose manifest is published with the key of this one: the first one stays. */
async function otherWithKey(
  manifest: ResourceState | undefined,
  { platform }: Dataset,
  datasets: DatasetsOfSet,
): Promise<Dataset | undefined> {
  const folder = manifest?.record && parseDatasetKey(manifest.record.artifact)?.folder;
  if (folder === undefined || folder === folderOf(platform)) return undefined;
  const other = await datasets.at(folder);
  return other?.removed === undefined ? other : undefined;
}

async function statesOf(files: readonly PublishedFile[], { index, set }: ComparedDatasets) {
  const keys = files.map(({ key }) => key);
  const found: Awaited<ReturnType<ResourceStates['lookup']>>[number][] = [];
  for (let at = 0; at < keys.length; at += LOOKUP)
    found.push(...(await index.lookup(set, keys.slice(at, at + LOOKUP))));
  return found;
}

function isSame(one: ResourceState, other: ResourceState | undefined): boolean {
  return other !== undefined && encodeState(one) === encodeState(other);
}
