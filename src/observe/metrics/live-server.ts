import type { HttpMetrics } from './http-metrics.ts';
import type { IndexMetrics } from './index-metrics.ts';
import { Rate } from './rate.ts';
import type { ScanMetrics, ScanUnderWay } from './scan-metrics.ts';
import type { SourceFigures } from './source-metrics.ts';

/** The state of a running server, for users. */
export interface LiveFigures extends SourceFigures {
  /** Since the server was started. */
  readonly uptimeSeconds: number;
  readonly requests: { readonly answered: number; readonly inFlight: number; readonly perSecond: number };
  readonly events: Readonly<Record<'applied' | 'unchanged' | 'rejected' | 'perSecond', number>>;
  readonly scanning: readonly ScanUnderWay[];
  readonly rootsInTrouble: number;
}

interface LiveParts {
  readonly http: HttpMetrics;
  readonly index: IndexMetrics;
  readonly scans: ScanMetrics;
  readSource(): Promise<SourceFigures>;
}

/** Figures of a server since its start. The caller that starts it stops it. */
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

  async figures(): Promise<LiveFigures> {
    const { http, index, scans } = this.#metrics;
    return {
      ...(await this.#metrics.readSource()),
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
