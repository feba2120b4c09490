import type { Instruments } from './instrument.ts';

/** Metrics of the archive of the log, if a setting makes a server archive it. */
export class ArchiveMetrics {
  readonly #runs;
  readonly #last;

  constructor(instruments: Instruments) {
    this.#runs = instruments.counter({
      name: 'tidemark_archivings_total',
      help: 'How often a job of this process archived the log. outcome: done (also when there was nothing new) or failed; the job says why.',
      labels: ['outcome'],
    });
    this.#last = instruments.gauge({
      name: 'tidemark_archived_changes',
      help: 'Changes in the archive, when this process last read it; 0 before. The other changes of the log would be lost with the store.',
    });
    for (const outcome of ['done', 'failed']) this.#runs.inc({ outcome }, 0);
  }

  around<Archived extends { readonly mark: { readonly total: number } | undefined }>(
    archive: (signal: AbortSignal) => Promise<Archived>,
  ): (signal: AbortSignal) => Promise<Archived> {
    return async (signal) => {
      try {
        const archived = await archive(signal);
        this.#runs.inc({ outcome: 'done' });
        this.#last.set(archived.mark?.total ?? 0);
        return archived;
      } catch (error) {
        this.#runs.inc({ outcome: 'failed' });
        throw error;
      }
    };
  }
}
