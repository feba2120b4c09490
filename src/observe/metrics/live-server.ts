import type { HttpMetrics } from './http-metrics.ts';
import type { IndexMetrics } from './index-metrics.ts';
import { type LiveFigures, together } from './live-figures.ts';
import type { ProcessFigures } from './process-figures.ts';
import { Rate } from './rate.ts';
import type { ScanMetrics } from './scan-metrics.ts';
import type { SourceFigures } from './source-metrics.ts';

interface LiveParts {
  readonly http: HttpMetrics;
  readonly index: IndexMetrics;
  readonly scans: ScanMetrics;
  look(): Promise<SourceFigures>;
  ofAll(): Promise<readonly ProcessFigures[]>;
}

/** Figures of a server since its start. Whoever starts it stops it. */
export class LiveServer {
  readonly #metrics: LiveParts;
  readonly #began = performance.now();
  readonly #requests: Rate;
  readonly #events: Rate;

  constructor(metrics: LiveParts) {
    this.#metrics = metrics;
    this.#requests = new Rate(() => metrics.http.answered);
    this.#events = new Rate(() => sum(metrics.index.totals));
  }

  start(): void {
    for (const rate of [this.#requests, this.#events]) rate.start();
  }

  /** Those of all processes that serve together. */
  async figures(): Promise<LiveFigures> {
    const [first, ...others] = (await this.#metrics.ofAll()).map(({ live }) => live);
    return together([first!, ...others]);
  }

  /** Those of this process. */
  async own(): Promise<LiveFigures> {
    const { http, index, scans } = this.#metrics;
    return {
      ...(await this.#metrics.look()),
      processes: 1,
      uptimeSeconds: (performance.now() - this.#began) / 1000,
      requests: { answered: http.answered, inFlight: http.inFlight, perSecond: this.#requests.perSecond },
      events: { ...index.totals, perSecond: this.#events.perSecond },
      scanning: scans.underWay,
      rootsInTrouble: scans.inTrouble,
    };
  }

  stop(): void {
    for (const rate of [this.#requests, this.#events]) rate.stop();
  }
}

function sum(totals: Readonly<Record<string, number>>): number {
  return Object.values(totals).reduce((all, some) => all + some, 0);
}
