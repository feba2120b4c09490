import { prefetch } from '../../lib/calls/prefetch.ts';
import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import type { ReadUpload } from '../arrivals/upload-state.ts';
import { HARVEST_READING_LIMIT, limitReading } from './limit-reading.ts';
import type { MergeStep, UploadToApply } from './merge-upload.ts';
import type { ProcessFunctions, ProcessThreadData } from './process.worker.ts';
import type { ReadingProgress, UploadToRead } from './read-upload.ts';
import type { AppliedDelivery, DeliveryToCount } from './unmentioned-records.ts';

/** Milliseconds that the thread stays: starting it takes as long as a small upload, and the next one may come soon. */
const IDLE_MS = 10_000;

/** Reads and merges uploads in a thread, one at a time. An aborted signal ends the thread at once. */
export class ProcessingThread {
  readonly #thread: CalledThread<ProcessFunctions>;
  readonly #folder: string;

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
    const length = upload.again?.bytes ?? upload.files.reduce((sum, file) => sum + file.length, 0);
    using __ = limitReading(this.#thread, length, upload.isHarvest ? HARVEST_READING_LIMIT : undefined);
    try {
      await this.#thread.call('read', [{ ...upload, scratchFolder: this.#folder }]);
      return await this.#readOn(onProgress, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  /** @throws TidemarkError as `countUnmentioned`; the signal's reason */
  countUnmentioned(delivery: DeliveryToCount, signal: AbortSignal): AsyncGenerator<MergeStep> {
    return this.#steps(() => this.#thread.call('countUnmentioned', [delivery]), signal);
  }

  /** @throws TidemarkError as `mergeUpload`; the signal's reason */
  merge(upload: UploadToApply, signal: AbortSignal): AsyncGenerator<MergeStep> {
    return this.#steps(() => this.#thread.call('merge', [upload]), signal);
  }

  /** @throws TidemarkError as `unmentionedRecords`; the signal's reason */
  deleteUnmentioned(delivery: AppliedDelivery, signal: AbortSignal): AsyncGenerator<MergeStep> {
    return this.#steps(() => this.#thread.call('deleteUnmentioned', [delivery]), signal);
  }

  async *#steps(begin: () => Promise<void>, signal: AbortSignal): AsyncGenerator<MergeStep> {
    using _ = this.#endedBy(signal);
    let isWhole = false;
    try {
      await begin();
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
    return this.#thread.end('the program ends');
  }

  async #readOn(onProgress: (progress: ReadingProgress) => void, signal: AbortSignal): Promise<ReadUpload> {
    for (;;) {
      const { read, progress } = await this.#thread.call('readOn', []);
      if (progress !== undefined) onProgress(progress);
      if (read !== undefined) return read;
      // The thread may have ended meanwhile: another one reads nothing.
      signal.throwIfAborted();
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
