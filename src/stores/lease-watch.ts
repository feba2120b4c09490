/** A lease as it was just read. */
export interface ObservedLease {
  readonly name: string;
  /** Differs after each heartbeat. */
  readonly version: string;
  /** Milliseconds. */
  readonly leaseMs: number;
}

interface Watched {
  readonly version: string;
  /** Milliseconds for which this version was observed. */
  seenMs: number;
}

/**
 * Finds processes that send no heartbeats any more, without comparing the clocks of two machines: the version must stay
 * unchanged for the time of the lease, by the monotonic clock of this process. The time between two observations that
 * are too far apart does not count: the store or this process may have been paused, and with it the heartbeats.
 */
export class LeaseWatch {
  readonly #elapsed: () => number;
  #watched = new Map<string, Watched>();
  #last = Number.NEGATIVE_INFINITY;

  /** @param elapsed milliseconds of a monotonic clock */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /**
   * Returns the names of the leases that have ended.
   * @param leases all leases, as just read
   */
  expired(leases: readonly ObservedLease[]): ReadonlySet<string> {
    const now = this.#elapsed();
    const passed = now - this.#last;
    this.#last = now;
    const before = this.#watched;
    this.#watched = new Map();
    const ended = leases.filter(({ name, version, leaseMs }) => {
      const known = before.get(name);
      const isSame = known?.version === version && passed <= leaseMs / 2;
      const seenMs = isSame ? known.seenMs + passed : 0;
      this.#watched.set(name, { version, seenMs });
      return seenMs >= leaseMs;
    });
    return new Set(ended.map(({ name }) => name));
  }
}
