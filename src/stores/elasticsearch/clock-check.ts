import { TidemarkError } from '../../domain/errors.ts';
import type { Cluster } from './cluster.ts';

/** Milliseconds that this clock may be off the store's. */
const MOST_OFF = 60_000;
const CHECK_AFTER = 60_000;

/** Compares this machine's clock with the store's, at most once a minute, and only when somebody writes. */
export class ClockCheck {
  readonly #cluster: Cluster;
  #checked = Number.NEGATIVE_INFINITY;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** @throws TidemarkError `unavailable` when one of the two clocks is wrong */
  async require(): Promise<void> {
    // The time since the last check is measured by a clock that nobody sets.
    if (performance.now() - this.#checked < CHECK_AFTER) return;
    const asked = Date.now();
    const { body } = await this.#cluster.ask<{ nodes: Readonly<Record<string, { timestamp: number }>> }>({
      method: 'GET',
      path: '/_nodes/_local/stats/os',
      query: { filter_path: 'nodes.*.timestamp' },
    });
    const answered = Date.now();
    const [{ timestamp }] = Object.values(body.nodes) as [{ timestamp: number }];
    const ahead = timestamp < asked ? asked - timestamp : timestamp > answered ? answered - timestamp : 0;
    if (Math.abs(ahead) > MOST_OFF) throw isOff(ahead);
    this.#checked = performance.now();
  }
}

function isOff(milliseconds: number): TidemarkError {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  return new TidemarkError(
    'unavailable',
    `this machine's clock is ${seconds} seconds ${milliseconds > 0 ? 'ahead of' : 'behind'} Elasticsearch's: set the clocks right`,
  );
}
