import { prefetch } from '../../lib/prefetch.ts';
import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import type { UploadedFile } from '../arrivals/upload.ts';
import type { ReadUpload } from '../arrivals/upload-state.ts';
import { limitReading } from './limit-reading.ts';
import type { MergeStep, UploadToApply } from './merge-upload.ts';
import type { ProcessFunctions, ProcessThreadData } from './process.worker.ts';
import type { ReadingProgress, UploadToRead } from './read-upload.ts';

/** Milliseconds that the thread stays: starting it takes as long as a small upload, and the next one may come soon. */
const IDLE_MS = 10_000;

/** Reads and merges uploads in a thread, one at a time. An aborted signal ends the thread at once. */
export class ProcessingThread {
  readonly #thread: CalledThread<ProcessFunctions>;
  readonly #folder: string;
  /** For an upload that is read while it arrives. */
  #limit: Disposable | undefined;
  /** Bytes of it. */
  #arrived = 0;

  constructor(data: ProcessThreadData) {
    const start = () => startWorker('./process.worker', import.meta.url, { workerData: data });
    this.#thread = new CalledThread<ProcessFunctions>({ work: 'processing the upload', start, idleMs: IDLE_MS });
    this.#folder = data.folder;
  }

  /** @throws TidemarkError as `readUpload`; the signal's reason */
  async read(
    upload: Omit<UploadToRead, 'scratchFolder'>,
    signal: AbortSignal,
    onProgress: (progress: ReadingProgress) => void,
  ): Promise<ReadUpload> {
    using _ = this.#endedBy(signal);
    const length = upload.files.reduce((sum, file) => sum + file.length, 0);
    using __ = limitReading(this.#thread, () => length);
    try {
      await this.#begin(upload);
      return await this.#readOn(onProgress);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  /** Starts to read an upload of one file while it arrives. The thread stays until `close`. */
  async beginArriving(upload: Omit<UploadToRead, 'scratchFolder'>): Promise<void> {
    this.#thread.hold();
    this.#limit = limitReading(this.#thread, () => this.#arrived);
    await this.#begin(upload);
  }

  /**
   * Passes bytes of the file to the thread. Resolves when the thread has room for more; the result is whether it wants
   * more.
   * @throws what the reading throws
   */
  hand(chunk: Uint8Array): Promise<boolean> {
    const copy = new Uint8Array(chunk);
    this.#arrived += chunk.length;
    return this.#thread.call('hand', [copy], [copy.buffer]);
  }

  /** Reads the rest, from the stored file. @throws what the reading throws */
  async endArriving(file: UploadedFile, onProgress: (progress: ReadingProgress) => void): Promise<ReadUpload> {
    this.#arrived = file.length;
    try {
      await this.#thread.call('end', [file]);
      return await this.#readOn(onProgress);
    } finally {
      this.#limit?.[Symbol.dispose]();
    }
  }

  /** Removes what was stored. Returns what was read to its end, which the caller has to remove. */
  abandon(): Promise<ReadUpload | undefined> {
    return this.#thread.call('abandon', []);
  }

  /** @throws TidemarkError as `mergeUpload`; the signal's reason */
  async *merge(upload: UploadToApply, signal: AbortSignal): AsyncGenerator<MergeStep> {
    using _ = this.#endedBy(signal);
    let isWhole = false;
    try {
      await this.#thread.call('merge', [upload]);
      yield* prefetch(() => this.#thread.call('next', []));
      isWhole = true;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      if (!isWhole) await this.#thread.end();
    }
  }

  close(): Promise<void> {
    this.#limit?.[Symbol.dispose]();
    return this.#thread.end('the program ends');
  }

  async #begin(upload: Omit<UploadToRead, 'scratchFolder'>): Promise<void> {
    await this.#thread.call('read', [{ ...upload, scratchFolder: this.#folder }]);
  }

  async #readOn(onProgress: (progress: ReadingProgress) => void): Promise<ReadUpload> {
    for (;;) {
      const { read, progress } = await this.#thread.call('readOn', []);
      if (progress !== undefined) onProgress(progress);
      if (read !== undefined) return read;
    }
  }

  #endedBy(signal: AbortSignal): Disposable {
    signal.throwIfAborted();
    const release = this.#thread.hold();
    const stop = () => this.#thread.stop();
    signal.addEventListener('abort', stop);
    return {
      [Symbol.dispose]() {
        signal.removeEventListener('abort', stop);
        release();
      },
    };
  }
}
