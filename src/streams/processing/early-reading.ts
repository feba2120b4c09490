import { isDeepStrictEqual } from 'node:util';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import type { ArrivingFile, ArrivingUpload } from '../uploads/arriving-file.ts';
import type { UploadedFile } from '../uploads/upload.ts';
import type { ReadUpload } from '../uploads/upload-state.ts';
import type { ProcessingThread } from './processing-thread.ts';
import type { ReadingProgress, UploadToRead } from './read-upload.ts';

/** What a file is read for, before its upload is known: its artifacts have the number in their keys. */
export type ExpectedUpload = Omit<UploadToRead, 'files' | 'scratchFolder' | 'arriving'>;

/** What was read, and the thread that has sorted it. */
export interface EarlyRead {
  readonly read: ReadUpload;
  readonly thread: ProcessingThread;
}

export interface EarlyReadingParts {
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
  /** The one that has begun: there is one at a time. */
  readonly live: Set<EarlyReading>;
  expect(): Promise<ExpectedUpload>;
  startThread(): ProcessingThread;
}

/** Bytes of a file that must have come: to start a thread takes longer than to read less. */
const LEAST_BYTES = 1024 * 1024;
/** Bytes that wait for the thread. Then it gets no more of them, and reads the rest when the file is stored. */
const MOST_WAITING = 16 * 1024 * 1024;
/** Milliseconds without a byte, or after the last one without a job that takes what was read. */
const IDLE_MS = 300_000;

/** One file that is read while it arrives. */
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

  /** The key of the stored file, when it is whole. */
  get artifact(): ObjectKey | undefined {
    return this.#file?.artifact;
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#idle.refresh();
    if (!this.#isHanding) return;
    if (this.#begun !== undefined) this.#hand(this.#begun, chunk);
    else {
      this.#first.push(chunk);
      this.#beginInTime();
    }
  }

  end(file: UploadedFile): void {
    const begun = this.#begun;
    if (begun === undefined || this.#dropped !== undefined) return void this.drop();
    this.#isHanding = false;
    this.#file = file;
    this.#read = begun.then(() => this.#thread!.endArriving(file, (progress) => this.#onProgress(progress)));
    this.#read.catch(() => this.drop());
  }

  /** What was read, if it is of this upload. @throws the signal's reason */
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
      // The job reads it.
    }
    await this.drop();
    signal.throwIfAborted();
    return undefined;
  }

  /** Resolves when nothing is left of it. */
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

  /** A job has it: from here on it is not dropped. */
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
    // It may be read to its end at the same time.
    const reads = await Promise.allSettled([this.#thread?.abandon(), this.#read]);
    await this.#thread?.close();
    const read = reads.map((one) => (one.status === 'fulfilled' ? one.value : undefined)).find(Boolean);
    for (const key of [read?.records, read?.errata]) {
      // A nightly job removes what cannot be removed now.
      if (key !== undefined) await artifacts.delete(key).catch(() => {});
    }
    live.delete(this);
  }
}
