import type { Job, JobState } from './job.ts';

/** A job as it is stored. Its version is another one after each replacement; it is compared, and nothing else. */
export interface StoredJob {
  readonly job: Job;
  readonly version: string;
}

export interface OpenJobs {
  readonly due: readonly StoredJob[];
  readonly running: readonly StoredJob[];
}

export interface JobFilter {
  /** All without it. */
  readonly states?: readonly JobState[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  /** Only those that follow this one in the order of the list. */
  readonly after?: Pick<Job, 'kind' | 'id' | 'added'> | undefined;
  readonly limit: number;
}

export interface JobCount {
  readonly kind: string;
  readonly state: JobState;
  readonly count: number;
}

/**
 * What each kind of store does for the queue (job-queue.ts), which decides everything. Each read sees every write that
 * any process was acknowledged before. Errors are TidemarkErrors `unavailable`.
 */
export interface JobRecords {
  /** Stores jobs, durably, whose names are not stored yet. Returns how many were stored. */
  create(jobs: readonly Job[]): Promise<number>;

  get(name: string): Promise<StoredJob | undefined>;

  /**
   * Replaces a version, and returns the next one; undefined when another version is stored, or none. Durable, unless
   * the job is running afterwards: a power failure may undo a claim or a heartbeat.
   */
  replace(job: Job, version: string): Promise<string | undefined>;

  /** Queued jobs that are due, those that were added first first, and all running ones. */
  open(kinds: readonly string[], now: number, limit: number): Promise<OpenJobs>;

  /** Those that were added last first; of one time, by their names, descending. */
  list(filter: JobFilter): Promise<readonly Job[]>;

  counts(): Promise<readonly JobCount[]>;

  /** Lines of the log of a job, oldest first; none when there is no log. */
  log(name: string): Promise<readonly string[]>;

  putLog(name: string, lines: readonly string[]): Promise<void>;

  /** Removes jobs of a state that ended before a time, with their logs. Returns how many. */
  remove(state: JobState, finishedBefore: number): Promise<number>;
}
