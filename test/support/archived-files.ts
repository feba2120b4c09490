import type { ArtifactStore, ListedObject } from '../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import type { ArchivedDataset, ArchivingJob } from '../../src/datasets/archiving.ts';
import { openBackends } from '../../src/datasets/backends/open-backends.ts';
import { archiverOf } from '../../src/datasets/strategies/archiver-of.ts';
import { type ServedFiles, SMALL_LIMITS } from './archiving-jobs.ts';
import { useTempFolder } from './temp-folder.ts';

/** Archives datasets in a folder. */
export interface Archive {
  readonly artifacts: ArtifactStore;
  process(job: ArchivingJob): Promise<ArchivedDataset>;
  checkExisting(job: ArchivingJob): Promise<ArchivedDataset | undefined>;
  /** All that is stored. */
  objects(): Promise<readonly ListedObject[]>;
}

/** Call it in `describe`. @param fetches files of a dataset that are fetched at a time */
export function useArchive(served: ServedFiles, fetches = 4): Archive {
  const folder = useTempFolder();
  let artifacts: ArtifactStore;
  beforeEach(() => {
    artifacts = openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
  });
  afterEach(() => artifacts.close());

  const archiver = ({ strategy }: ArchivingJob) => {
    const { fetcher, scratchFolder } = served;
    const backends = openBackends(SMALL_LIMITS, { fetcher, artifacts, scratchFolder });
    return archiverOf(strategy, { backends, fetches, datasetBytes: SMALL_LIMITS.datasetSize });
  };
  return {
    get artifacts() {
      return artifacts;
    },
    process: (job) => archiver(job).process(job),
    checkExisting: (job) => archiver(job).checkExisting(job),
    async objects() {
      const found: ListedObject[] = [];
      for await (const batch of artifacts.list('')) found.push(...batch);
      return found;
    },
  };
}
