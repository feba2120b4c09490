import { hash } from 'node:crypto';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { openBackends } from '../../../src/datasets/backends/open-backends.ts';
import { openFetcher } from '../../../src/datasets/fetch/open-fetcher.ts';
import { archiverOf } from '../../../src/datasets/strategies/archiver-of.ts';
import { peakMemory } from '../support/peak-memory.ts';
import { secondsSince } from '../support/spread.ts';

/**
 * Stores files as an item, as a job does: the time begins when the worker runs already. Prints the seconds, and the
 * most memory of this process, in MB.
 */
const { urls, size, folder }: { readonly urls: readonly string[]; readonly size: number; readonly folder: string } =
  JSON.parse(process.argv[2]!);

const datasetBytes = size * urls.length;
const artifacts = openArtifacts({ kind: 'folder', folder });
const fetcher = openFetcher({ networks: ['127.0.0.1'], tokens: [] });
const settings = { datasetSize: datasetBytes, datasetWebSize: 0, datasetWebFileSize: 0 };
const backends = openBackends(settings, { fetcher, artifacts, scratchFolder: folder });
const archiver = archiverOf('archiveorg-fileset', { backends, fetches: 4, datasetBytes });
const start = performance.now();
const archived = await archiver.process({
  dataset: {
    platformName: 'bench',
    platformDomain: '127.0.0.1',
    platformId: '1',
    landingUrl: urls[0]!,
    files: urls.map((platformUrl, at) => ({ path: `${at}`, size, hashes: [], platformUrl })),
    archiveorgMetadata: {},
  },
  strategy: 'archiveorg-fileset',
  folder: hash('md5', folder),
  attempt: '00000000',
  options: {},
  signal: new AbortController().signal,
  onProgress() {},
});
const seconds = secondsSince(start);
if (archived.status !== 'success') throw new Error(archived.message);
console.log(JSON.stringify({ seconds, memory: peakMemory(process.pid) }));
fetcher.close();
await artifacts.close();
