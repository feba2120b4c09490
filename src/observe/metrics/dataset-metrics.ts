import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { Instruments } from './instrument.ts';

const STORE_TIMEOUT_MS = 2_000;

/** What is measured of the document `dataset-sink`. */
interface SinkFigures {
  readonly behind: number;
  readonly waiting?: { readonly since: number };
}

/** Metrics of the sinks of results of datasets. */
export class DatasetMetrics {
  readonly #behind;
  readonly #waiting;
  #catalog: Pick<Catalog, 'list'> | undefined;

  constructor(instruments: Instruments) {
    this.#behind = instruments.gauge({
      name: 'tidemark_dataset_sink_behind',
      help: 'Requests whose results the sink (rows or kafka) had not got when it was last written to; at most 10,000.',
      labels: ['sink'],
    });
    this.#waiting = instruments.gauge({
      name: 'tidemark_dataset_sink_waiting_seconds',
      help: 'Seconds for which a sink of results of datasets has not answered; 0 when it does.',
      labels: ['sink'],
    });
  }

  watch(catalog: Pick<Catalog, 'list'>): void {
    this.#catalog = catalog;
  }

  /** Reads the figures of sinks. Returns false when the store does not answer: the old ones stay. */
  async read(): Promise<boolean> {
    const reading = this.#catalog?.list<SinkFigures>('dataset-sink') ?? Promise.resolve([]);
    const sinks = await withTimeout(reading, STORE_TIMEOUT_MS, () => undefined).catch(() => undefined);
    for (const { id: sink, body } of sinks ?? []) {
      this.#behind.set({ sink }, body.behind);
      this.#waiting.set({ sink }, body.waiting === undefined ? 0 : Math.max(Date.now() - body.waiting.since, 0) / 1000);
    }
    return sinks !== undefined;
  }
}
