import { LARGEST_CLOCK_ERROR_MS } from '../../core/accepted-clock.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import { startOfMachine } from '../store-clock.ts';

const CHECK_AFTER_MS = 60_000;
/** Milliseconds by which this clock may be changed without a new check. */
const SMALL_STEP_MS = 1_000;

/**
 * Compares this machine's clock with Elasticsearch's before a write, at most once a minute, and after this clock was
 * changed.
 */
export class ClockCheck {
  readonly #cluster: Cluster;
  #checked = Number.NEGATIVE_INFINITY;
  #start = Number.NaN;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * Returns the time of this clock.
   * @throws TidemarkError `unavailable` when one of the two clocks is wrong
   */
  async now(): Promise<number> {
    const now = Date.now();
    const start = startOfMachine(now);
    // The monotonic clock measures the time since the last check.
    const isRecent = performance.now() - this.#checked < CHECK_AFTER_MS;
    if (isRecent && Math.abs(start - this.#start) < SMALL_STEP_MS) return now;
    await this.#compare();
    this.#start = start;
    return this.now();
  }

  async #compare(): Promise<void> {
    const asked = Date.now();
    const { nodes } = await this.#cluster.ask((client) =>
      client.nodes.stats({ node_id: '_local', metric: 'os', filter_path: 'nodes.*.timestamp' }),
    );
    const answered = Date.now();
    const timestamp = Object.values(nodes)[0]!.timestamp!;
    const ahead = timestamp < asked ? asked - timestamp : timestamp > answered ? answered - timestamp : 0;
    if (Math.abs(ahead) > LARGEST_CLOCK_ERROR_MS) throw isOff(ahead);
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
