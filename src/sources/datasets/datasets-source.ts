import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import { openStoredFile } from '../records/stream/open-stored-file.ts';
import type { StreamWatcher } from '../records/stream/stream-watcher.ts';
import type { LiveResource, OpenedResource } from '../served-source.ts';
import type { CompareOptions, Comparison, Mismatch, Source, SourceWatch } from '../source.ts';
import { compareDatasets, compareFolders } from './compare-datasets.ts';
import { storedDatasets } from './stored-datasets.ts';
import { verifyDatasets } from './verify-datasets.ts';

export interface DatasetsSourceParts {
  readonly catalog: Pick<Catalog, 'get' | 'latest'>;
  readonly index: Pick<ResourceStates, 'lookup' | 'read'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'name'>;
  readonly watcher: Pick<StreamWatcher, 'subscribe'>;
}

const FOLDER = /^[0-9a-f]{32}$/;

/**
 * Syncs a set with the datasets that were ingested into it. A path of this source is the folder of a dataset: while
 * watched, only new ones are read. A stored dataset never changes, so any number of processes may post it.
 */
export class DatasetsSource implements Source {
  readonly longestRetryMs = 60_000;
  readonly #set: ResourceSet;
  readonly #parts: DatasetsSourceParts;

  constructor(set: ResourceSet, parts: DatasetsSourceParts) {
    this.#set = set;
    this.#parts = parts;
  }

  async compare({ under, rehash = false, counter, signal }: CompareOptions): Promise<Comparison> {
    const compared = { ...this.#compared, isThorough: rehash, counter, signal };
    const isPart = under?.every((path) => FOLDER.test(path)) === true;
    return { steps: isPart ? compareFolders(compared, under) : compareDatasets(compared) };
  }

  verify(options: Pick<CompareOptions, 'counter' | 'signal'>): AsyncGenerator<readonly Mismatch[]> {
    return verifyDatasets({ ...this.#compared, artifacts: this.#parts.artifacts }, options);
  }

  watch(onChange: (path: string) => void): Promise<SourceWatch> {
    const prefix = `${this.#set.slug}/`;
    return this.#parts.watcher.subscribe({
      onDocument({ kind, id }) {
        if (kind === 'dataset' && id.startsWith(prefix)) onChange(id.slice(prefix.length));
      },
    });
  }

  async open(resource: LiveResource): Promise<OpenedResource> {
    return openStoredFile(resource, this.#parts.artifacts);
  }

  get #compared() {
    const { index } = this.#parts;
    return { index, set: this.#set.id, datasets: storedDatasets(this.#parts, this.#set.slug) };
  }
}
