import { jobName } from './job.ts';
import type { StoredJob } from './job-records.ts';

interface Watched {
  readonly version: string;
  /** Milliseconds for which this version was seen. */
  seenMs: number;
}

/**
 * Finds jobs whose worker sends no heartbeat any more, without comparing clocks of two machines: the version of a job
 * must stay the same for the time of its lease, by the monotonic clock of this process. The time between two
 * observations that are too far apart does not count: the store, or this process, may have been paused, and with it the
 * heartbeats.
 */
export class LeaseWatch {
  readonly #elapsed: () => number;
  #watched = new Map<string, Watched>();
  #last = Number.NEGATIVE_INFINITY;

  /** @param elapsed milliseconds of a clock that cannot be set */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** @param running all running jobs, as they were read just now. Returns those whose lease has ended */
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
