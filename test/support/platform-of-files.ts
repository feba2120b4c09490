import { hash } from 'node:crypto';
import type { ArchivingJob, BackendSession, DatasetBackend, StoredCopy } from '../../src/datasets/archiving.ts';
import type { PlatformFile } from '../../src/datasets/manifest.ts';
import type { PlatformDataset } from '../../src/datasets/platform.ts';
import { archivingJob } from './archiving-jobs.ts';
import { type FileServer, startFileServer } from './file-server.ts';

/** Limits that no test reaches. */
export const LIMITS = { datasetBytes: 1e9, advice: 'raise --dataset-size' };
/** Quick, and bounded. */
export const TIMING = { attempts: 4, firstMs: 5, longestMs: 20, timeoutMs: 10_000 };

/** A platform with the files of one dataset. */
export class PlatformOfFiles {
  readonly files: Record<string, string> = { 'a.txt': 'first', 'b/c d.csv': '1,2\n3,4\n' };
  /** Paths that are redirected to others. */
  readonly redirects: Record<string, string> = {};
  #server!: FileServer;

  static async start(): Promise<PlatformOfFiles> {
    const started = new PlatformOfFiles();
    started.#server = await startFileServer((request, response) => {
      const path = decodeURIComponent(new URL(request.url!, 'http://x').pathname.slice(1));
      const location = started.redirects[path];
      const text = started.files[path];
      if (location !== undefined) response.writeHead(302, { location }).end();
      else response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(text ?? 'no');
    });
    return started;
  }

  get url(): string {
    return this.#server.url;
  }

  get requests(): readonly string[] {
    return this.#server.requests;
  }

  urlOf(path: string): string {
    return `${this.url}/${path.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** A file as its platform states it, rightly. */
  file(path: string): PlatformFile {
    const text = this.files[path]!;
    const hashes = [{ algorithm: 'md5', digest: hash('md5', text) }];
    return { path, size: text.length, hashes, platformUrl: this.urlOf(path), mimetype: 'text/plain' };
  }

  dataset(more: Partial<PlatformDataset> = {}): PlatformDataset {
    return {
      platformName: 'example',
      platformDomain: 'data.example.org',
      platformId: '1234',
      version: '2',
      landingUrl: `${this.url}/page`,
      files: Object.keys(this.files).map((path) => this.file(path)),
      archiveorgMetadata: { title: 'Rivers of Zürich', creator: ['Ada', 'Ben'] },
      ...more,
    };
  }

  async close(): Promise<void> {
    await this.#server.close();
  }
}

export function jobOf(dataset: PlatformDataset, options: ArchivingJob['options'] = {}): ArchivingJob {
  return archivingJob(dataset.files, { dataset, options });
}

/** Stores the files of a dataset that the backend has not, as strategies do. Returns the copies by number. */
export async function archive(backend: DatasetBackend, job: ArchivingJob): Promise<ReadonlyMap<number, StoredCopy>> {
  const session = await backend.open(job);
  try {
    for (const [at, file] of job.dataset.files.entries()) await storeOnce(session, file, at + 1);
    return await session.finish();
  } catch (error) {
    await session.abandon();
    throw error;
  }
}

async function storeOnce(session: BackendSession, file: PlatformFile, number: number): Promise<void> {
  if ((await session.existing(file, number)) === undefined) await session.store(file, number, () => {});
}
