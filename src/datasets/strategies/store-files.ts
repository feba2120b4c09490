import type { ArchivedDataset, ArchivingJob, BackendSession, DatasetBackend, StoredCopy } from '../archiving.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { ManifestFile, PlatformFile } from '../manifest.ts';
import { type Compared, compareWithManifest } from './compare-with-manifest.ts';
import { isStored, notTried, ofFailure, storedEntry } from './manifest-entry.ts';
import { ProgressOfFiles } from './progress-of-files.ts';
import { sharedFetches } from './shared-fetches.ts';

/** What became of a file. */
interface Outcome {
  readonly entry: ManifestFile;
  /** Undefined when it is not stored. */
  readonly compared?: Compared;
}

/**
 * Stores the files of a dataset, some at a time (D08, D09, D11, D12). After a failure no further one begins; those that
 * have begun are finished.
 */
export async function storeFiles(
  backend: DatasetBackend,
  job: ArchivingJob,
  atATime: number,
): Promise<ArchivedDataset> {
  const session = await backend.open(job);
  try {
    const { files } = job.dataset;
    const outcomes = await new FileStoring(session, job, atATime).run();
    const failed = outcomes.find(({ compared, entry }) => compared === undefined && entry.status !== 'not-tried');
    if (failed !== undefined) return { ...ofFailed(failed.entry), files: outcomes.map(({ entry }) => unstored(entry)) };
    const copies = await session.finish();
    const stored = files.map((file, at) => storedEntry(file, outcomes[at]!.compared!, copies.get(at + 1)!));
    return { status: 'success', files: stored, ...itemOf(session) };
  } finally {
    await session.abandon();
  }
}

/**
 * The dataset, when all of its files are stored. The last file is asked for first: an attempt that was interrupted most
 * likely lacks it, and then no stored file is read in vain.
 */
export async function existingFiles(backend: DatasetBackend, job: ArchivingJob): Promise<ArchivedDataset | undefined> {
  const session = await backend.open(job);
  try {
    const { files } = job.dataset;
    for (const [at, file] of [...files.entries()].reverse()) {
      job.signal.throwIfAborted();
      if ((await session.existing(file, at + 1)) === undefined) return undefined;
    }
    const copies = await session.finish();
    const entries = files.map((file, at) => storedEntry(file, { status: 'success-existing' }, copies.get(at + 1)!));
    return { status: 'success-existing', files: entries, ...itemOf(session) };
  } finally {
    await session.abandon();
  }
}

class FileStoring {
  readonly #session: BackendSession;
  readonly #job: ArchivingJob;
  readonly #progress: ProgressOfFiles;
  readonly #outcomes: Outcome[];
  readonly #atATime: number;
  /** Each stores one file after the other, until there are no more. */
  readonly #lanes: Promise<void>[] = [];
  #laneCount = 1;
  #fault: { readonly error: unknown } | undefined;
  #next = 0;
  #hasFailed = false;

  constructor(session: BackendSession, job: ArchivingJob, atATime: number) {
    this.#session = session;
    this.#job = job;
    this.#atATime = atATime;
    this.#progress = new ProgressOfFiles(job, job.dataset.files);
    this.#outcomes = job.dataset.files.map((file) => ({ entry: notTried(file) }));
  }

  async run(): Promise<readonly Outcome[]> {
    this.#lanes.push(this.#lane());
    // All have ended before an error is thrown: none of them writes after that. More may begin meanwhile.
    for (const lane of this.#lanes) await lane;
    this.#job.signal.throwIfAborted();
    if (this.#fault !== undefined) throw this.#fault.error;
    return this.#outcomes;
  }

  /** Never rejects. */
  async #lane(): Promise<void> {
    const { files } = this.#job.dataset;
    while (this.#hasMore()) {
      const at = this.#next++;
      this.#widen();
      try {
        const outcome = await this.#store(files[at]!, at + 1);
        this.#outcomes[at] = outcome;
        if (outcome.compared === undefined) this.#hasFailed = true;
      } catch (error) {
        this.#hasFailed = true;
        this.#fault ??= { error };
      }
    }
  }

  /** Begins other lanes, as far as other datasets leave room for them. */
  #widen(): void {
    while (this.#hasMore() && this.#laneCount < this.#atATime && sharedFetches.take()) {
      this.#laneCount += 1;
      this.#lanes.push(this.#lane().finally(sharedFetches.give));
    }
  }

  #hasMore(): boolean {
    const { dataset, signal } = this.#job;
    return this.#next < dataset.files.length && !this.#hasFailed && !signal.aborted;
  }

  async #store(file: PlatformFile, number: number): Promise<Outcome> {
    try {
      const existing = await this.#session.existing(file, number);
      if (existing !== undefined) this.#progress.addBytes(existing.size);
      const copy = existing ?? (await this.#session.store(file, number, this.#progress.addBytes));
      return await this.#compare(file, copy);
    } catch (error) {
      if (!(error instanceof IngestFailure)) throw error;
      return { entry: ofFailure(file, error) };
    } finally {
      this.#progress.addFile();
    }
  }

  async #compare(file: PlatformFile, copy: StoredCopy): Promise<Outcome> {
    const compared = compareWithManifest(file, copy, this.#job.options.acceptMismatch ?? false);
    if (isStored(compared)) return { entry: storedEntry(file, compared, copy), compared };
    await this.#session.discard(copy);
    return { entry: ofFailure(file, new IngestFailure(compared.status as IngestFailure['status'], compared.message!)) };
  }
}

function ofFailed({ status, message }: ManifestFile): Pick<ArchivedDataset, 'status' | 'message'> {
  return { status, ...(message !== undefined && { message }) };
}

/** Where it is does not count: nothing of the dataset is published. */
function unstored({ stored: _, ...entry }: ManifestFile): ManifestFile {
  return entry;
}

const itemOf = ({ itemName }: BackendSession): Pick<ArchivedDataset, 'itemName'> =>
  itemName === undefined ? {} : { itemName };
