import type { App } from '../../src/app.ts';
import type { ManifestFile } from '../../src/datasets/manifest.ts';
import type { IngestResult, RequestDocument } from '../../src/datasets/request.ts';
import { putManifest } from '../../src/datasets/results/manifests.ts';
import { REQUEST_KIND, requestId } from '../../src/datasets/results/requests.ts';

const PLATFORM = { name: 'dataverse', domain: 'dataverse.example.org', id: 'doi:10.5072/FK2/ABC', version: '1.1' };
const HASHES = { md5: 'a'.repeat(32), sha1: 'b'.repeat(40), sha256: 'c'.repeat(64) };

interface ShownResult {
  readonly url: string;
  readonly set?: string;
  readonly result?: Partial<IngestResult>;
  readonly files?: readonly ManifestFile[];
  readonly notes?: readonly string[];
}

/** Requests a dataset, and ends the request as if it had been ingested. Returns the id of the request. */
export async function endRequest({ datasets, catalog, artifacts }: App, shown: ShownResult): Promise<string> {
  const { url, set, result, files = [], notes = [] } = shown;
  const request = { ingest_type: 'dataset', base_url: url } as const;
  await datasets.add([request], { set });
  const id = requestId(request);
  const place = { folder: id, attempt: '0'.repeat(8) };
  const { key } = await putManifest(artifacts, place, { notes, files });
  const totalSize = files.reduce((sum, { size = 0 }) => sum + size, 0);
  const about = { platform: PLATFORM, manifest: key, fileCount: files.length, totalSize };
  const ended: IngestResult = { hit: true, status: 'success', updated: Date.now(), ...about, ...result };
  const { version, body } = (await catalog.get<RequestDocument>(REQUEST_KIND, id))!;
  await catalog.put(REQUEST_KIND, id, { ...body, state: 'ended', result: ended }, version);
  return id;
}

/** Files of a manifest; some of them failed. @param failing numbers, from 1 */
export function shownFiles(count: number, failing: readonly number[] = []): readonly ManifestFile[] {
  return Array.from({ length: count }, (_, at) => {
    const path = `survey/part ${at + 1}.csv`;
    const isFailing = failing.includes(at + 1);
    const message = `"${path}" has another MD5 than the platform says: ${HASHES.md5}, not ${'0'.repeat(32)}`;
    return {
      path,
      size: 1000 + at,
      ...HASHES,
      mimetype: 'text/csv',
      platform_url: `https://dataverse.example.org/api/access/datafile/${at}`,
      ...(isFailing ? { status: 'mismatch-md5', message } : { status: 'success' }),
    };
  });
}
