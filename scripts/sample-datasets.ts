// Requests of datasets with their results, to show their pages. Always the same, but for the time.
import type { App } from '../src/app.ts';
import type { ManifestFile } from '../src/datasets/manifest.ts';
import type { IngestResult, ResultPlatform } from '../src/datasets/request.ts';
import { endRequest } from '../test/support/ended-requests.ts';

const HOUR = 3_600_000;
const DIGITS = { md5: '5d41402abc4b2a76b9719d911017c592', other: 'e2fc714c4727ee9395f324cd2e7f331f' };

/** What a result has not whose platform did not answer. */
const UNKNOWN = { platform: undefined, strategy: undefined, fileCount: undefined, totalSize: undefined };

/** Returns the id of the request that has failed. */
export async function fillSampleDatasets(app: App, now: number): Promise<string> {
  const trueNow = Date.now;
  let hoursAgo = 9;
  const end = async (doi: string, platform: ResultPlatform | undefined, more: Shown = {}) => {
    Date.now = () => now - hoursAgo * HOUR;
    hoursAgo -= 1;
    const known = platform === undefined ? UNKNOWN : { platform, strategy: 'web-fileset' };
    const result = { ...known, updated: Date.now(), ...more.result } as Partial<IngestResult>;
    const files = more.files ?? filesOf(['README.md', 'codebook.pdf', 'data/households.csv'], 181_400);
    return endRequest(app, { url: `https://doi.org/${doi}`, result, files });
  };
  try {
    await end('10.5281/zenodo.7214', { name: 'zenodo', domain: 'zenodo.org', id: '7214' });
    await end('10.6084/m9.figshare.310', { name: 'figshare', domain: 'figshare.com', id: '310', version: '2' });
    await end('10.17026/dans-xdg-jtew', undefined, { result: failure('platform-restricted', RESTRICTED), files: [] });
    await end('10.34894/RIVER', dataverse('doi:10.34894/RIVER'), {
      files: filesOf(scans(64), 88_301_112),
      result: ITEM,
    });
    await end('10.5072/nothing', undefined, { result: failure('terminal-bad-status', MISSING), files: [] });
    const failed = await end('10.34894/SURVEY', dataverse('doi:10.34894/SURVEY'), {
      result: failure('mismatch-md5', MISMATCH),
      files: survey(),
    });
    Date.now = trueNow;
    await app.datasets.add([{ ingest_type: 'dataset', base_url: 'https://doi.org/10.5281/zenodo.7388' }], {});
    await app.sets.markReady('datasets');
    return failed;
  } finally {
    Date.now = trueNow;
  }
}

interface Shown {
  readonly result?: Partial<IngestResult>;
  readonly files?: readonly ManifestFile[];
}

const ITEM = { strategy: 'archiveorg-fileset' } as const;
const MISSING = 'https://doi.org/10.5072/nothing answers 404: it does not exist: check the URL, or the DOI';
const RESTRICTED =
  'https://data.example.org/dataset has 2 files ("interviews.zip", "names.csv") that not everybody may download: ask its depositor to make the dataset public';
const MISMATCH = `data/wave-2.csv has the md5 ${DIGITS.other}, and the platform states ${DIGITS.md5}: try again, and report it to the platform when it stays so; --accept-mismatch stores it, marked`;

function failure(status: IngestResult['status'], message: string): Partial<IngestResult> {
  return { hit: false, status, message };
}

function dataverse(id: string): ResultPlatform {
  return { name: 'dataverse', domain: 'data.example.org', id, version: '1.1' };
}

function scans(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `scans/sheet-${at + 1}.tif`);
}

function filesOf(paths: readonly string[], size: number): readonly ManifestFile[] {
  return paths.map((path, at) => ({
    status: 'success',
    path,
    size: size + 977 * at,
    md5: DIGITS.md5,
    mimetype: path.endsWith('.csv') ? 'text/csv' : 'application/pdf',
    platform_url: `https://data.example.org/api/access/datafile/${at + 41}`,
  }));
}

/** One file differs, so the last one was not fetched. */
function survey(): readonly ManifestFile[] {
  const files = filesOf(['README.pdf', 'data/wave-1.csv', 'data/wave-2.csv', 'data/wave-3.csv'], 402_118);
  return files.map((file, at) => {
    if (at === 2) return { ...file, status: 'mismatch-md5', message: MISMATCH };
    return at === 3 ? { ...file, status: 'not-tried' } : file;
  });
}
