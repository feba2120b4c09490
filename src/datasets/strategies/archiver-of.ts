import type { DatasetBackend, StrategyArchiver } from '../archiving.ts';
import type { StrategyName } from '../manifest.ts';
import { storeBundle } from './store-bundle.ts';
import { existingFiles, storeFiles } from './store-files.ts';

interface ArchiverParts {
  /** Where each kind of strategy stores (D06). */
  readonly backends: Readonly<Record<DatasetBackend['kind'], DatasetBackend>>;
  /** Files of one dataset that are fetched at a time. */
  readonly fetches: number;
  /** The largest dataset: bytes. */
  readonly datasetBytes: number;
}

/** The archiver of a strategy: its name says where, and whether files or their bundle (D06, D07). */
export function archiverOf(strategy: StrategyName, parts: ArchiverParts): StrategyArchiver {
  const { backends, fetches, datasetBytes } = parts;
  const backend = strategy.startsWith('web-') ? backends.web : backends.archiveorg;
  if (strategy.endsWith('-bundled')) {
    return {
      // A stored bundle is read again by `process`, which does not fetch it again.
      checkExisting: async () => undefined,
      process: (job) => storeBundle(backend, job, datasetBytes),
    };
  }
  return {
    checkExisting: (job) => existingFiles(backend, job),
    process: (job) => storeFiles(backend, job, fetches),
  };
}
