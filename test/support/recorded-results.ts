import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { App } from '../../src/app.ts';
import { runJobs } from '../../src/cli/serving/run-jobs.ts';
import type { ManifestFile } from '../../src/datasets/manifest.ts';
import type { RequestDocument } from '../../src/datasets/request.ts';
import { putManifest } from '../../src/datasets/results/manifests.ts';
import { requestId } from '../../src/datasets/results/requests.ts';
import { sendDatasetResults } from '../../src/jobs/kinds/send-dataset-results.ts';
import { updateDocument } from '../../src/stores/update-document.ts';

type Stored = Pick<App, 'catalog' | 'artifacts'>;

/** Records results as the ingest does, in the place of those before, with their manifest. */
export async function recordResults(
  { catalog, artifacts }: Stored,
  documents: readonly RequestDocument[],
  files?: readonly ManifestFile[],
): Promise<void> {
  const folder = '0'.repeat(32);
  const manifest =
    files && (await putManifest(artifacts, { folder, attempt: randomBytes(4).toString('hex') }, { files })).key;
  await Promise.all(
    documents.map((document) => {
      const { result } = document;
      const body = result && manifest !== undefined ? { ...document, result: { ...result, manifest } } : document;
      const id = requestId(document.request);
      return updateDocument<RequestDocument>(catalog, { kind: 'dataset-request', id }, () => body);
    }),
  );
}

/** Sends results in this process, as `tidemark work` does. */
export function sendAsWorker(app: App): { stop(): Promise<void> } {
  return runJobs(app, pino({ level: 'silent' }), [sendDatasetResults]);
}
