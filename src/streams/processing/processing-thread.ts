import { prefetch } from '../../lib/prefetch.ts';
import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import type { ReadUpload } from '../uploads/upload-state.ts';
import type { MergeStep, UploadToApply } from './merge-upload.ts';
import type { ProcessFunctions, ProcessThreadData } from './process.worker.ts';
import type { ReadingProgress, UploadToRead } from './read-upload.ts';

/** Megabytes. Of what a record makes, hardly anything is kept. */
const YOUNG_MB = 8;

/** Reads and merges one upload in a thread of its own, until it is closed. An aborted signal ends it at once. */
export class ProcessingThread {
  readonly #thread: CalledThread<ProcessFunctions>;
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #stop = () => void this.#thread.end();

  constructor(data: ProcessThreadData, signal: AbortSignal) {
    const start = () =>
      startWorker('./process.worker', import.meta.url, {
        workerData: data,
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      });
    this.#thread = new CalledThread<ProcessFunctions>({ work: 'processing the upload', start });
    this.#folder = data.folder;
    this.#signal = signal;
    signal.addEventListener('abort', this.#stop);
  }

  /** @throws TidemarkError as `readUpload`; the signal's reason */
  async read(
    upload: Omit<UploadToRead, 'scratchFolder'>,
    onProgress: (progress: ReadingProgress) => void,
  ): Promise<ReadUpload> {
    try {
      await this.#thread.call('read', [{ ...upload, scratchFolder: this.#folder }]);
      for (;;) {
        const { read, progress } = await this.#thread.call('readOn', []);
        if (progress !== undefined) onProgress(progress);
        if (read !== undefined) return read;
      }
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error;
    }
  }

  /** @throws TidemarkError as `mergeUpload`; the signal's reason */
  async *merge(upload: UploadToApply): AsyncGenerator<MergeStep> {
    try {
      await this.#thread.call('merge', [upload]);
      yield* prefetch(() => this.#thread.call('next', []));
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#stop);
    await this.#thread.end();
  }
}
