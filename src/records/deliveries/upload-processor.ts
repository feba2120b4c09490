import { JobWaits } from '../../stores/job-waits.ts';
import type { Upload } from '../arrivals/upload.ts';
import { UploadPauses } from '../arrivals/upload-pause.ts';
import type { AppliedUpload } from '../arrivals/upload-state.ts';
import type { Attempt } from './attempt.ts';
import { lowerEnded } from './lower-uploads.ts';
import { BLOCKS, Processing, type ProcessorParts } from './processing.ts';
import type { ProcessingThread } from './processing-thread.ts';
import { ProcessingThreads } from './processing-threads.ts';

/**
 * Processes uploads: fetches and reads them, and applies them to the set of their stream. Any number of processes may
 * process one upload, concurrently or one after the other: see docs/internals/records.md.
 */
export class UploadProcessor {
  readonly #parts: ProcessorParts;
  readonly #threads: ProcessingThreads;
  readonly #pauses: UploadPauses;

  constructor(parts: ProcessorParts) {
    this.#parts = parts;
    this.#pauses = new UploadPauses(parts.catalog);
    this.#threads = new ProcessingThreads(parts.threadData);
  }

  /**
   * @throws TidemarkError `conflict` when the upload has to be continued later, though it is not at fault: a part of it
   *   may be published. Every other error means that the attempt failed, and nothing of the upload is published.
   *   `gone` when the upload was removed. JobWaits when it waits for longer than `mostPauseMs` for a dump to begin, or
   *   for uploads before it: as a full run, or when it reads these again.
   *   While the artifact store is away, its error: the upload then waits
   */
  async process(upload: Upload, attempt: Attempt): Promise<AppliedUpload> {
    const processing = new Processing({ ...this.#parts, pauses: this.#pauses }, upload, attempt);
    await processing.fetch();
    for (;;) {
      const run = (thread: ProcessingThread) => processing.run(thread);
      const outcome = await this.#threads.run(upload.organization, run, attempt.signal);
      if (typeof outcome === 'object') return outcome;
      attempt.report({ text: BLOCKS[outcome].text });
      // Meanwhile, uploads of other streams are processed, and those that this one or the dump waits for.
      if (!(await this.#passed(outcome, upload, attempt))) throw new JobWaits(BLOCKS[outcome].reason);
    }
  }

  #passed(block: keyof typeof BLOCKS, upload: Upload, { signal, mostPauseMs: mostMs }: Attempt): Promise<boolean> {
    const options = { signal, mostMs };
    return block === 'dump' ? this.#pauses.passed(upload, options) : lowerEnded(this.#parts.catalog, upload, options);
  }

  /** Stops the running work. */
  async close(): Promise<void> {
    await this.#threads.close();
  }
}
