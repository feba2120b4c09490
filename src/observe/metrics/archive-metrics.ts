import type { Instruments } from './instrument.ts';

/** Metrics of the archive of the log, if a setting makes a server archive it. */
export class ArchiveMetrics {
  readonly #runs;
  readonly #last;

  constructor(instruments: Instruments) {
    this.#runs = instruments.counter({
      name: 'tidemark_archivings_total',
      help: 'How often this process archived the log, with TIDEMARK_ARCHIVE. outcome: done (also when there was nothing new, or another server had just done it) or failed; the log says why.',
      labels: ['outcome'],
    });
    this.#last = instruments.gauge({
      name: 'tidemark_archived_changes',
      help: 'Changes in the archive, when this process last read it; 0 before. The other changes of the log would be lost with the store.',
    });
    for (const outcome of ['done', 'failed']) this.#runs.inc({ outcome }, 0);
  }

  /** @param changes in the archive */
  archived(changes: number): void {
    this.#runs.inc({ outcome: 'done' });
    this.#last.set(changes);
  }

  failed(): void {
    this.#runs.inc({ outcome: 'failed' });
  }
}
