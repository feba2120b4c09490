import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { DatasetBackend } from '../archiving.ts';
import type { DatasetFetcher } from '../fetch/dataset-fetcher.ts';
import { ownItemBackend } from './own-item.ts';
import { webWarcBackend } from './web-warc.ts';

export type DatasetBackends = Readonly<Record<DatasetBackend['kind'], DatasetBackend>>;

export type BackendSettings = Pick<Configuration, 'datasetSize' | 'datasetWebSize' | 'datasetWebFileSize'>;

interface BackendParts {
  readonly fetcher: DatasetFetcher;
  readonly artifacts: ArtifactStore;
  /** An existing folder, for files that are not stored yet: at most as many bytes as a web archive has. */
  readonly scratchFolder: string;
}

/** A bundle has a little more than its files: two headers for each, with its name. */
const AROUND_FILES = 1024 ** 2;

/** Opens where datasets are stored (d6). */
export function openBackends(settings: BackendSettings, parts: BackendParts): DatasetBackends {
  const { datasetSize, datasetWebSize, datasetWebFileSize } = settings;
  const webLimits = {
    datasetBytes: datasetWebSize + AROUND_FILES,
    fileBytes: datasetWebFileSize,
    advice:
      'the platform does not state all sizes, so it was taken for a smaller one; raise --dataset-web-size and --dataset-web-file-size to store it in a web archive all the same',
  };
  const itemLimits = { datasetBytes: datasetSize, advice: 'raise --dataset-size' };
  return {
    web: webWarcBackend({ ...parts, limits: webLimits }),
    archiveorg: ownItemBackend({ ...parts, limits: itemLimits }),
  };
}
