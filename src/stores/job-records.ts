import type { Job, JobState } from './job.ts';

/** A job as it is stored. Its version differs after each replacement, and can only be compared for equality. */
export interface StoredJob {
  readonly job: Job;
  readonly version: string;
}

export interface OpenJobs {
  readonly due: readonly StoredJob[];
  readonly running: readonly StoredJob[];
}

/** The due jobs to read. */
export interface DueJobs {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly limit: number;
  /** Beginnings of the names of jobs that are left out: each up to the first `~` of a name. */
  readonly except?: readonly string[];
}

export interface JobFilter {
  /** All, if undefined. */
  readonly states?: readonly JobState[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  /** Only jobs after this one in the order of the list. */
  readonly after?: Pick<Job, 'kind' | 'id' | 'added'> | undefined;
  readonly limit: number;
}

export interface JobCount {
  readonly kind: string;
  readonly state: JobState;
  readonly count: number;
}

/**
 * The storage of jobs in each kind of store. The logic is in the queue (job-queue.ts). Each read sees every write that
 * was acknowledged before to any process. Errors are TidemarkErrors `unavailable`.
 */
export interface JobRecords {
  /** Stores jobs whose names do not exist yet, durably. Returns their number. */
  create(jobs: readonly Job[]): Promise<number>;

  get(name: string): Promise<StoredJob | undefined>;

  /**
   * Replaces a version, and returns the next one; undefined if the stored version is another one, or there is none.
   * Durable, unless the job is running afterwards: a power failure may undo a claim or a heartbeat.
   */
  replace(job: Job, version: string): Promise<string | undefined>;

  /**
   * Returns due queued jobs, those that were added first first, and all running ones. A job is due unless its time
   * comes within `LONGEST_PAUSE_MS` (job.ts).
   */
  open(kinds: readonly string[], due: DueJobs): Promise<OpenJobs>;

  /** Lists jobs, those that were added last first; at equal times by name, descending. */
  list(filter: JobFilter): Promise<readonly Job[]>;

  counts(): Promise<readonly JobCount[]>;

  /** The lines of the log of a job, oldest first; empty without a log. */
  log(name: string): Promise<readonly string[]>;

  putLog(name: string, lines: readonly string[]): Promise<void>;

  /** Removes jobs in a state that ended before a time, with their logs. Returns their number. */
  remove(state: JobState, finishedBefore: number): Promise<number>;
}
