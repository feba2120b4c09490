import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ArrivingFile, ArrivingFiles, ArrivingUpload } from '../arrivals/arriving-file.ts';
import { lastUpload } from '../arrivals/record-upload.ts';
import { receivingStream } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import { setOfStream } from '../set-names.ts';
import { type EarlyRead, EarlyReading, type ExpectedUpload } from './early-reading.ts';
import type { ProcessThreadData } from './process.worker.ts';
import { ProcessingThread } from './processing-thread.ts';
import type { ReadingProgress, UploadToRead } from './read-upload.ts';

interface EarlyReaderParts {
  readonly catalog: Pick<Catalog, 'latest'>;
  readonly organizations: Pick<OrganizationRegistry, 'get'>;
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
  readonly sets: Pick<SetRegistry, 'bySlug'>;
  readonly threadData: ProcessThreadData;
  /** Whether this process runs jobs, which use what was read. */
  readonly isOn: boolean;
}

/**
 * Reads uploads while they arrive, one at a time, for the jobs of this process: see docs/streams.md. If anything fails,
 * the job reads the upload itself.
 */
export class EarlyReader implements ArrivingFiles {
  readonly #parts: EarlyReaderParts;
  /** The reading that was started, until a job takes it, or it is dropped. */
  readonly #live = new Set<EarlyReading>();

  constructor(parts: EarlyReaderParts) {
    this.#parts = parts;
  }

  begin(upload: ArrivingUpload): ArrivingFile | undefined {
    if (!this.#parts.isOn) return undefined;
    const { artifacts, threadData } = this.#parts;
    const startThread = () => new ProcessingThread(threadData);
    const expect = () => this.#expect(upload);
    return new EarlyReading(upload, { artifacts, expect, startThread, live: this.#live });
  }

  /**
   * What was read of an upload, and the thread that has sorted it, if that equals what the job would read. The caller
   * owns the artifacts, and closes the thread. Waits until all of the upload is read.
   * @throws the signal's reason
   */
  async take(
    { files, ...upload }: Omit<UploadToRead, 'scratchFolder'>,
    signal: AbortSignal,
    onProgress: (progress: ReadingProgress) => void,
  ): Promise<EarlyRead | undefined> {
    const [file, ...others] = files;
    const found = [...this.#live].find(({ artifact }) => artifact !== undefined && artifact === file?.artifact);
    return others.length > 0 ? undefined : found?.take(upload, signal, onProgress);
  }

  /** Drops all readings that no job has taken. */
  async close(): Promise<void> {
    await Promise.all([...this.#live].map((reading) => reading.drop()));
  }

  async #expect({ organization, stream: named, number }: ArrivingUpload): Promise<ExpectedUpload> {
    const found = await this.#parts.organizations.get(organization);
    const stream = receivingStream(found, named);
    const next = async () => ((await lastUpload(this.#parts.catalog, { organization, stream }))?.number ?? 0) + 1;
    const { publishHashes } = await this.#parts.sets.bySlug(setOfStream({ organization, stream }, 'records'));
    return {
      organization,
      stream,
      number: number ?? (await next()),
      normalization: found.normalization,
      publishHashes,
    };
  }
}
