import { setImmediate } from 'node:timers/promises';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Dataset } from '../../datasets/dataset.ts';
import { publishedFiles, publishedManifest } from '../../datasets/published-dataset.ts';
import { readManifest } from '../../datasets/results/manifests.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import type { DatasetsOfSet } from './compare-datasets.ts';

/** Documents that are read at a time. */
const PAGE = 250;

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'get'>;
}

/** The datasets in the catalog that are published by a set. */
export function storedDatasets({ catalog, artifacts }: Parts, slug: string): DatasetsOfSet {
  return {
    async *pages() {
      const pages = latestPages<Dataset>(catalog, { kind: 'dataset', prefix: `${slug}/`, limit: PAGE });
      for await (const { documents } of pages) yield documents.map(({ body }) => body);
    },

    at: async (folder) => (await catalog.get<Dataset>('dataset', `${slug}/${folder}`))?.body,

    async filesOf(dataset) {
      const own = publishedManifest(dataset);
      if (dataset.isRemote) return [own];
      const manifest = await readManifest(artifacts, dataset.manifest.artifact);
      // Parsing one of 10,000 files takes a while.
      await setImmediate();
      if (manifest !== undefined) return [...publishedFiles(dataset, manifest), own];
      const message = `the manifest of the dataset ${dataset.id} is missing (${dataset.manifest.artifact}): restore it from a backup of the artifact store`;
      throw new TidemarkError('unavailable', message, { dataset: dataset.id });
    },
  };
}
