import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { DatasetBackend } from '../archiving.ts';
import type { DatasetFetcher } from '../fetch/dataset-fetcher.ts';
import type { ByteLimits } from '../strategies/byte-budget.ts';
import { ownItemBackend } from './own-item.ts';
import { type OpenRemoteBackend, openIas3, openSavePageNow } from './remote/open-remote.ts';
import { webWarcBackend } from './web-warc.ts';

type DatasetBackends = Readonly<Record<DatasetBackend['kind'], DatasetBackend>>;

interface OpenBackends extends DatasetBackends {
  /** Ends connections to the services of others. */
  close(): void;
}

/** Without the URLs of services, datasets are stored here. */
type BackendSettings = Pick<Configuration, 'datasetSize' | 'datasetWebSize' | 'datasetWebFileSize'> &
  Partial<Pick<Configuration, RemoteSetting>>;

type RemoteSetting =
  | 'datasetWeb'
  | 'datasetArchiveorg'
  | 'datasetArchiveorgMetadata'
  | 'datasetArchiveorgKeys'
  | 'adminEmail';

interface BackendParts {
  readonly fetcher: DatasetFetcher;
  readonly artifacts: ArtifactStore;
  /** An existing folder, for files that are not stored yet: at most as many bytes as a web archive has. */
  readonly scratchFolder: string;
}

const ARCHIVE_ORG = 'https://archive.org/';
/** A bundle has a little more than its files: two headers for each, with its name. */
const AROUND_FILES = 1024 ** 2;

/** Opens where datasets are stored (d6). */
export function openBackends(settings: BackendSettings, parts: BackendParts): OpenBackends {
  const { datasetSize, datasetWebSize, datasetWebFileSize } = settings;
  const webLimits = {
    datasetBytes: datasetWebSize + AROUND_FILES,
    fileBytes: datasetWebFileSize,
    advice:
      'the platform does not state all sizes, so it was taken for a smaller one; raise --dataset-web-size and --dataset-web-file-size to store it in a web archive all the same',
  };
  const itemLimits = { datasetBytes: datasetSize, advice: 'raise --dataset-size' };
  const remote = openRemote(settings, parts, { web: webLimits, archiveorg: itemLimits });
  return {
    web: remote.web?.backend ?? webWarcBackend({ ...parts, limits: webLimits }),
    archiveorg: remote.archiveorg?.backend ?? ownItemBackend({ ...parts, limits: itemLimits }),
    close() {
      remote.web?.close();
      remote.archiveorg?.close();
    },
  };
}

function openRemote(
  settings: BackendSettings,
  { fetcher, scratchFolder }: BackendParts,
  limits: Readonly<Record<DatasetBackend['kind'], ByteLimits>>,
): Partial<Record<DatasetBackend['kind'], OpenRemoteBackend>> {
  const { datasetWeb, datasetArchiveorg, datasetArchiveorgMetadata = ARCHIVE_ORG, adminEmail: contact } = settings;
  const common = { contact, keysFile: settings.datasetArchiveorgKeys, scratchFolder };
  return {
    ...(datasetWeb !== undefined && { web: openSavePageNow({ ...common, url: datasetWeb, limits: limits.web }) }),
    ...(datasetArchiveorg !== undefined && {
      archiveorg: openIas3({
        ...common,
        url: datasetArchiveorg,
        metadataUrl: datasetArchiveorgMetadata,
        fetcher,
        limits: limits.archiveorg,
      }),
    }),
  };
}
