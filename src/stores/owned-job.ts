import { TidemarkError } from '../core/errors.ts';
import { Mutex } from '../lib/calls/mutex.ts';
import { beaten, ended, type Job, type JobEnd, type JobProgress, jobName } from './job.ts';
import type { JobRecords, StoredJob } from './job-records.ts';

/**
 * A job that was claimed by a worker of this process. Every method throws `conflict` when the worker does not own it
 * any more.
 */
export class OwnedJob {
  readonly #records: JobRecords;
  readonly #onEnd: (job: Job) => Promise<void>;
  readonly #mutex = new Mutex();
  #stored: StoredJob;

  /** @param onEnd called with the job when an attempt has ended, also when the response of the store was lost */
  constructor(records: JobRecords, stored: StoredJob, onEnd: (job: Job) => Promise<void>) {
    this.#records = records;
    this.#onEnd = onEnd;
    this.#stored = stored;
  }

  /** The job as it was last written or read. */
  get job(): Job {
    return this.#stored.job;
  }

  /** Shows that the worker still runs. Returns whether the job was cancelled. */
  async heartbeat(progress?: JobProgress): Promise<{ readonly cancelling: boolean }> {
    const job = await this.#write((job) => beaten(job, progress));
    return { cancelling: job.cancelling === true };
  }

  /** Records the end of the attempt. */
  finish(end: JobEnd): Promise<Job> {
    return this.#write((job) => ended(job, end, Date.now()));
  }

  /** Replaces the log of the job, with a heartbeat. */
  async putLog(lines: readonly string[], progress?: JobProgress): Promise<{ readonly cancelling: boolean }> {
    // First the heartbeat, which fails for a job of another worker: its log must not be replaced.
    const answer = await this.heartbeat(progress);
    await this.#records.putLog(jobName(this.job), lines);
    return answer;
  }

  #write(change: (job: Job) => Job): Promise<Job> {
    return this.#mutex.run(async () => {
      for (;;) {
        const { job, version } = this.#stored;
        if (job.state !== 'running') throw isLost(job);
        const next = change(job);
        const written = await this.#records.replace(next, version);
        if (written !== undefined) {
          this.#stored = { job: next, version: written };
          if (next.state !== 'running') await this.#onEnd(next);
          return next;
        }
        const stored = await this.#records.get(jobName(job));
        if (stored?.job.claim?.token !== job.claim!.token) throw isLost(job);
        this.#stored = stored;
        if (stored.job.state === 'running') continue;
        // This or an earlier write had succeeded, and its response was lost; or another worker has ended the lease.
        await this.#onEnd(stored.job);
        if (stored.job.state === next.state) return stored.job;
      }
    });
  }
}

function isLost(job: Job): TidemarkError {
  return new TidemarkError('conflict', `another worker has the job ${jobName(job)}, or it has ended`, {
    job: jobName(job),
  });
}
