import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArchivingJob } from '../../src/datasets/archiving.ts';
import { folderOf } from '../../src/datasets/dataset.ts';
import type { DatasetFetcher } from '../../src/datasets/fetch/dataset-fetcher.ts';
import { openFetcher } from '../../src/datasets/fetch/open-fetcher.ts';
import type { PlatformFile } from '../../src/datasets/manifest.ts';
import type { PlatformDataset } from '../../src/datasets/platform.ts';
import { contentOf, type StandInFile, type StandInPlatforms, startPlatforms } from './dataset-platforms.ts';

/** Files of no platform that a test server has, and what archives them. Its properties are there while a test runs. */
export interface ServedFiles {
  readonly platforms: StandInPlatforms;
  readonly fetcher: DatasetFetcher;
  /** Serves a file; the result is what a platform states of it: all, unless that is changed. */
  file(file: StandInFile, stated?: Partial<PlatformFile>): PlatformFile;
  readonly scratchFolder: string;
  /** Also those that have no name any more, and are open. */
  leftScratchFiles(): readonly string[];
}

/** Call it in `describe`. */
export function useServedFiles(): ServedFiles {
  let platforms: StandInPlatforms;
  let fetcher: DatasetFetcher;
  let scratchFolder: string;
  beforeEach(async () => {
    platforms = await startPlatforms();
    fetcher = openFetcher({ networks: ['127.0.0.1'], tokens: [], attempts: 1 });
    scratchFolder = mkdtempSync(join(tmpdir(), 'scratch-'));
  });
  afterEach(async () => {
    fetcher.close();
    await platforms.close();
    rmSync(scratchFolder, { recursive: true });
  });
  return {
    get platforms() {
      return platforms;
    },
    get fetcher() {
      return fetcher;
    },
    get scratchFolder() {
      return scratchFolder;
    },
    leftScratchFiles: () => [...readdirSync(scratchFolder), ...openFiles(scratchFolder)],
    file: (file, stated) => ({ ...statedOf(file), platformUrl: platforms.addFile(file), ...stated }),
  };
}

function openFiles(folder: string): readonly string[] {
  const descriptors = readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(join('/proc/self/fd', name))];
    } catch {
      // Of the list itself.
      return [];
    }
  });
  return descriptors.filter((path) => path.startsWith(folder));
}

function statedOf({ name, size = 1000, mimetype }: StandInFile): PlatformFile {
  const bytes = contentOf(name, size);
  const hashes = [{ algorithm: 'md5', digest: hash('md5', bytes) }];
  return { path: name, size, hashes, ...(mimetype !== undefined && { mimetype }) };
}

/** A job that archives a dataset of some files; each has an attempt of its own. */
export function archivingJob(
  files: readonly PlatformFile[],
  changes: Partial<Omit<ArchivingJob, 'dataset'>> & { readonly dataset?: Partial<PlatformDataset> } = {},
): ArchivingJob {
  const dataset: PlatformDataset = {
    platformName: 'dataverse',
    platformDomain: 'dataverse.example',
    platformId: 'doi:10.5072/FK2/ABCDEF',
    version: '1.0',
    landingUrl: 'https://dataverse.example/dataset.xhtml?persistentId=doi:10.5072/FK2/ABCDEF',
    archiveorgMetadata: { title: 'Some files' },
    files,
    ...changes.dataset,
  };
  const { platformName: name, platformDomain: domain, platformId: id, version } = dataset;
  return {
    strategy: 'web-fileset',
    folder: folderOf({ name, domain, id, ...(version !== undefined && { version }) }),
    attempt: crypto.randomUUID().slice(0, 8),
    options: {},
    signal: new AbortController().signal,
    onProgress() {},
    ...changes,
    dataset,
  };
}

/** Bytes: as settings of datasets. */
export const SMALL_LIMITS = { datasetSize: 4_000_000, datasetWebSize: 2_000_000, datasetWebFileSize: 1_000_000 };
