import { isDeepStrictEqual } from 'node:util';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import type { ArrivingFile, ArrivingUpload } from '../arrivals/arriving-file.ts';
import type { UploadedFile } from '../arrivals/upload.ts';
import type { ReadUpload } from '../arrivals/upload-state.ts';
import type { ProcessingThread } from './processing-thread.ts';
import type { ReadingProgress, UploadToRead } from './read-upload.ts';

/** The upload that a file is read for, before the upload is recorded: the keys of its artifacts contain the number. */
export type ExpectedUpload = Omit<UploadToRead, 'files' | 'scratchFolder' | 'arriving'>;

/** The result of a reading, and the thread that has sorted it. */
export interface EarlyRead {
  readonly read: ReadUpload;
  readonly thread: ProcessingThread;
}

interface EarlyReadingParts {
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
  /** The reading that was started: there is at most one at a time. */
  readonly live: Set<EarlyReading>;
  expect(): Promise<ExpectedUpload>;
  startThread(): ProcessingThread;
}

/** Bytes that must have arrived before the thread is started: starting it takes longer than reading fewer bytes. */
const LEAST_BYTES = 1024 * 1024;
/**
 * Most bytes that wait for the thread. If there are more, it gets no more of them, and reads the rest of the stored
 * file.
 */
const MOST_WAITING = 16 * 1024 * 1024;
/** Milliseconds without a byte, or after the last byte without a job that takes the reading; then it is dropped. */
const IDLE_MS = 300_000;

/** Reads one file while it arrives. */
export class EarlyReading implements ArrivingFile {
  readonly #fileName: string;
  readonly #parts: EarlyReadingParts;
  readonly #idle = setTimeout(() => this.drop(), IDLE_MS).unref();
  #bytes = 0;
  #first: Uint8Array[] = [];
  #waiting = 0;
  #isHanding = true;
  #begun: Promise<ExpectedUpload> | undefined;
  #file: UploadedFile | undefined;
  #read: Promise<ReadUpload> | undefined;
  #thread: ProcessingThread | undefined;
  #dropped: Promise<void> | undefined;
  #onProgress: (progress: ReadingProgress) => void = () => {};

  constructor({ fileName }: Pick<ArrivingUpload, 'fileName'>, parts: EarlyReadingParts) {
    this.#fileName = fileName;
    this.#parts = parts;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isDropped(): boolean {
    return this.#dropped !== undefined;
  }

  /** The key of the stored file, once it is complete. */
  get artifact(): ObjectKey | undefined {
    return this.#file?.artifact;
  }

  push(chunk: Uint8Array): boolean {
    this.#bytes += chunk.length;
    this.#idle.refresh();
    if (!this.#isHanding) return false;
    if (this.#begun !== undefined) this.#hand(this.#begun, chunk);
    else {
      this.#first.push(chunk);
      this.#beginInTime();
    }
    return this.#isHanding;
  }

  end(file: UploadedFile): void {
    const begun = this.#begun;
    if (begun === undefined || this.#dropped !== undefined) {
      this.drop().catch(() => {});
      return;
    }
    this.#isHanding = false;
    this.#file = file;
    this.#read = begun.then(() => this.#thread!.endArriving(file, (progress) => this.#onProgress(progress)));
    this.#read.catch(() => this.drop());
  }

  /** Returns what was read, if it is of this upload. @throws the signal's reason */
  async take(
    upload: ExpectedUpload,
    signal: AbortSignal,
    onProgress: (progress: ReadingProgress) => void,
  ): Promise<EarlyRead | undefined> {
    this.#onProgress = onProgress;
    clearTimeout(this.#idle);
    try {
      const isExpected = isDeepStrictEqual(await this.#begun, upload) && this.#dropped === undefined;
      const read = isExpected ? await unlessAborted(this.#read!, signal) : undefined;
      if (read !== undefined && this.#keep()) return { read, thread: this.#thread! };
    } catch {
      // The job reads the upload itself.
    }
    await this.drop();
    signal.throwIfAborted();
    return undefined;
  }

  /** Resolves when everything of the reading has been removed. Never rejects. */
  drop(): Promise<void> {
    this.#dropped ??= this.#remove();
    return this.#dropped;
  }

  #beginInTime(): void {
    const { live } = this.#parts;
    const isFree = live.size === 0;
    if (isFree && this.#bytes < LEAST_BYTES) return;
    const first = this.#first.splice(0);
    this.#isHanding = isFree;
    if (!isFree) return;
    live.add(this);
    const begun = this.#begin();
    this.#begun = begun;
    begun.catch(() => this.drop());
    for (const chunk of first) this.#hand(begun, chunk);
  }

  async #begin(): Promise<ExpectedUpload> {
    const expected = await this.#parts.expect();
    this.#thread = this.#parts.startThread();
    await this.#thread.beginArriving({ ...expected, files: [], arriving: this.#fileName });
    return expected;
  }

  #hand(begun: Promise<unknown>, chunk: Uint8Array): void {
    this.#isHanding = this.#waiting + chunk.length <= MOST_WAITING;
    if (!this.#isHanding) return;
    this.#waiting += chunk.length;
    const handed = begun.then(() => this.#thread!.hand(chunk));
    handed.then(
      (isWanted) => {
        this.#waiting -= chunk.length;
        this.#isHanding &&= isWanted;
      },
      () => this.drop(),
    );
  }

  /** Marks the reading as taken by a job: it is not dropped after that. */
  #keep(): boolean {
    if (this.#dropped !== undefined) return false;
    this.#dropped = Promise.resolve();
    this.#parts.live.delete(this);
    return true;
  }

  async #remove(): Promise<void> {
    clearTimeout(this.#idle);
    this.#isHanding = false;
    this.#first = [];
    if (this.#begun === undefined) return;
    const { artifacts, live } = this.#parts;
    await this.#begun.catch(() => {});
    // The file may be read to its end at the same time.
    const reads = await Promise.allSettled([this.#thread?.abandon(), this.#read]);
    // A thread that fails while it ends has ended, too.
    await this.#thread?.close().catch(() => {});
    const read = reads.map((one) => (one.status === 'fulfilled' ? one.value : undefined)).find(Boolean);
    for (const key of [read?.records, read?.errata]) {
      // A nightly job removes files that cannot be removed now.
      if (key !== undefined) await artifacts.delete(key).catch(() => {});
    }
    live.delete(this);
  }
}
