import { TidemarkError } from '../core/errors.ts';
import { cancelled, ended, type Job, jobName, type NewJob, newJob, retried } from './job.ts';
import { type ClaimerOptions, JobClaimer } from './job-claimer.ts';
import type { JobCount, JobFilter, JobRecords, StoredJob } from './job-records.ts';

/** Attempts to apply a user's change while a worker sends heartbeats. */
const MOST_TRIES = 20;

/**
 * The jobs of a store. docs/operating.md has its promises; test/contract/job-queue.ts tests them with each kind of
 * store.
 */
export class JobQueue {
  readonly #records: JobRecords;
  readonly #listeners = new Set<() => void>();
  readonly #endListeners = new Set<(job: Job) => Promise<void>>();

  constructor(records: JobRecords) {
    this.#records = records;
  }

  /** Adds a job, durably. Returns false when a job with this id exists already. */
  async add(
    kind: string,
    id: string,
    payload: unknown,
    options: Pick<NewJob, 'notBefore' | 'oneAtATimePer'> = {},
  ): Promise<boolean> {
    return (await this.addAll([{ kind, id, payload, ...options }])) === 1;
  }

  /** Adds several jobs at once. Returns the number of those that did not exist. */
  async addAll(jobs: readonly NewJob[]): Promise<number> {
    const now = Date.now();
    const added = await this.#records.create(jobs.map((job) => newJob(job, now)));
    this.#notify();
    return added;
  }

  /**
   * Stores a job as it is in another store, in place of one of its name. One that runs there waits here, as one that
   * was given back.
   * @param check whether the store is still being filled; a job that changes after it is not replaced
   * @throws TidemarkError `conflict` when it changes meanwhile; what the check throws
   */
  async restore(
    { job, log }: { readonly job: Job; readonly log: readonly string[] },
    check: () => Promise<unknown>,
  ): Promise<void> {
    const restored = job.state === 'running' ? ended(job, { state: 'given-back' }, Date.now()) : job;
    const stored = await this.#records.get(jobName(job));
    await check();
    const isStored =
      stored === undefined
        ? (await this.#records.create([restored])) === 1
        : (await this.#records.replace(restored, stored.version)) !== undefined;
    if (!isStored) throw new TidemarkError('conflict', `another process changes the job ${jobName(job)}: try again`);
    if (log.length > 0) await this.#records.putLog(jobName(job), log);
  }

  /** Calls a function whenever this process has queued jobs, until the returned function is called. */
  onQueued(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls a function whenever this process has ended a job as failed or cancelled, after that was stored, and waits for
   * it. It must not throw. A job may be reported twice; a process that is killed in between reports nothing.
   */
  onUnsuccessful(listener: (job: Job) => Promise<void>): void {
    this.#endListeners.add(listener);
  }

  /** Returns a claimer, which the workers of a process share. */
  claimer(options: ClaimerOptions): JobClaimer {
    return new JobClaimer(this.#records, options, (job) => this.#reportEnd(job));
  }

  /**
   * Queues a job again.
   * @throws TidemarkError `not-found`, or `conflict` when it is running or done
   */
  async retry(name: string): Promise<Job> {
    const job = await this.#change(name, retried);
    this.#notify();
    return job;
  }

  /**
   * Cancels a job. A running one ends soon afterwards.
   * @throws TidemarkError `not-found`, or `conflict` when it has ended
   */
  async cancel(name: string): Promise<Job> {
    const job = await this.#change(name, (job) => cancelled(job, Date.now()));
    // Also when it was cancelled already: by an earlier call or try, whose response was lost.
    await this.#reportEnd(job);
    return job;
  }

  /** @throws TidemarkError `not-found` */
  async get(name: string): Promise<Job> {
    return (await this.#require(name)).job;
  }

  /** Lists jobs, those that were added last first. */
  list(filter: JobFilter): Promise<readonly Job[]> {
    return this.#records.list(filter);
  }

  counts(): Promise<readonly JobCount[]> {
    return this.#records.counts();
  }

  /** The lines of the log of a job, oldest first. */
  log(name: string): Promise<readonly string[]> {
    return this.#records.log(name);
  }

  /** Removes jobs that ended before a time in milliseconds since 1970. Returns their number. */
  remove(state: 'done' | 'failed' | 'cancelled', finishedBefore: number): Promise<number> {
    return this.#records.remove(state, finishedBefore);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async #reportEnd(job: Job): Promise<void> {
    if (job.state !== 'failed' && job.state !== 'cancelled') return;
    for (const listener of this.#endListeners) await listener(job);
  }

  async #change(name: string, change: (job: Job) => Job): Promise<Job> {
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const { job, version } = await this.#require(name);
      const next = change(job);
      if (next === job || (await this.#records.replace(next, version)) !== undefined) return next;
    }
    throw new TidemarkError('conflict', `the job ${name} changes all the time: try again`);
  }

  async #require(name: string): Promise<StoredJob> {
    const stored = await this.#records.get(name);
    if (stored !== undefined) return stored;
    throw new TidemarkError('not-found', `there is no job ${name}`, { job: name });
  }
}
