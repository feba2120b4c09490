import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { Instruments } from './instrument.ts';

const STORE_TIMEOUT_MS = 2_000;

interface WatchedScanners {
  figures(): Promise<{ readonly own: number; readonly unread: number }>;
}

/** Metrics of which process scans which sets. */
export class ScannerMetrics {
  readonly #own;
  readonly #unread;
  #scanners: WatchedScanners | undefined;

  constructor(instruments: Instruments) {
    this.#own = instruments.gauge({
      name: 'tidemark_scanned_sets',
      help: 'Sets that this process keeps in sync with their sources: each set is that of one process.',
    });
    this.#unread = instruments.gauge({
      name: 'tidemark_unscanned_sets',
      help: 'Sets with a source that no process scans, or whose root no process can read. The same at all servers of a store.',
    });
  }

  watch(scanners: WatchedScanners): void {
    this.#scanners = scanners;
  }

  /** Returns false when the store does not answer: the old numbers stay. */
  async read(): Promise<boolean> {
    const reading = this.#scanners?.figures() ?? Promise.resolve({ own: 0, unread: 0 });
    const figures = await withTimeout(reading, STORE_TIMEOUT_MS, () => undefined).catch(() => undefined);
    if (figures === undefined) return false;
    this.#own.set(figures.own);
    this.#unread.set(figures.unread);
    return true;
  }
}
