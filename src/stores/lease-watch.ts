import { jobName } from './job.ts';
import type { StoredJob } from './job-records.ts';

interface Watched {
  readonly version: string;
  /** Milliseconds for which this version was observed. */
  seenMs: number;
}

/**
 * Finds jobs whose workers send no heartbeats any more, without comparing the clocks of two machines: the version of a
 * job must stay unchanged for the time of its lease, by the monotonic clock of this process. The time between two
 * observations that are too far apart does not count: the store or this process may have been paused, and with it the
 * heartbeats.
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
   * Returns the jobs whose leases have ended.
   * @param running all running jobs, as just read
   */
  expired(running: readonly StoredJob[]): readonly StoredJob[] {
    const now = this.#elapsed();
    const passed = now - this.#last;
    this.#last = now;
    const before = this.#watched;
    this.#watched = new Map();
    return running.filter(({ job, version }) => {
      const { leaseMs } = job.claim!;
      const name = jobName(job);
      const known = before.get(name);
      const isSame = known?.version === version && passed <= leaseMs / 2;
      const seenMs = isSame ? known.seenMs + passed : 0;
      this.#watched.set(name, { version, seenMs });
      return seenMs >= leaseMs;
    });
  }
}
