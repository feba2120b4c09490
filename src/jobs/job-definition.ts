import type { Configuration } from '../config/configuration.ts';
import type { Backoff } from '../lib/calls/retry.ts';
import { type Job, type JobProgress, type JobWait, jobName, type NewJob } from '../stores/job.ts';
import type { JobParts } from './job-parts.ts';
import type { Schedule } from './schedule.ts';

/** A kind of job: a file in `kinds/`, and a row in job-list.ts. */
export interface JobDefinition<Payload = unknown> {
  readonly kind: string;
  /** The retry policy; a function when it depends on a setting. */
  readonly retry: JobRetry | ((configuration: Configuration) => JobRetry);
  /**
   * Whether a failure with `conflict` means that another process, such as a command, does the same work. The job then
   * waits for the longest pause between two attempts, and the attempt does not count.
   */
  readonly waitsAfterConflict?: boolean;
  /** Whether thousands may be queued: jobs of other kinds are then run alternately with them. */
  readonly isNumerous?: boolean;
  /** Of the jobs with the same text, only one runs at a time. */
  oneAtATimePer?(payload: Payload): string;
  /**
   * The beginning of the ids of the jobs that are done for the same party, such as an organization: its share. The
   * shares alternate, and no share takes all places of a process that has several.
   */
  shareOf?(id: string): string;
  /**
   * The schedules by which it is added; `schedulesOfSets` for a setting of each set. Called often: it must be quick.
   */
  schedules?(parts: JobParts): readonly Scheduled<Payload>[] | Promise<readonly Scheduled<Payload>[]>;
  /**
   * Adds missing jobs for what was recorded before its job could be added. Called as often as `schedules`, by each
   * process that runs jobs.
   */
  addMissing?(parts: JobParts): Promise<void>;
  /**
   * Does the work, and returns its result as plain data. It may run twice at the same time for one job, so it writes by
   * compare-and-set, or writes what never changes. It must end soon after the signal was aborted, and must not block
   * the event loop: heartbeats need it. What has to wait for long throws JobWaits.
   */
  run(payload: Payload, parts: JobParts, run: JobRun): Promise<unknown>;
}

export interface JobRetry extends Backoff {
  /** Number of attempts after which the job has failed. */
  readonly attempts: number;
}

export function retryOf({ retry }: Pick<JobDefinition, 'retry'>, { configuration }: JobParts): JobRetry {
  return typeof retry === 'function' ? retry(configuration) : retry;
}

/** The beginning of the names of the jobs in the share of a job; undefined when its kind has no shares. */
export function shareOf(
  { shareOf }: Pick<JobDefinition, 'shareOf'>,
  { kind, id }: Pick<Job, 'kind' | 'id'>,
): string | undefined {
  return shareOf && jobName({ kind, id: shareOf(id) });
}

/** The attempt, as seen by the job. */
export interface JobRun {
  /** `KIND/ID`. */
  readonly name: string;
  /** Whether the job fails for good when this attempt fails. */
  readonly isLast: boolean;
  /** What it waited for until this attempt. */
  readonly wait: JobWait | undefined;
  /** Aborted when the process stops, when the job is cancelled, or when another worker has taken it. */
  readonly signal: AbortSignal;
  report(progress: JobProgress): void;
  /**
   * Checks that the job was not cancelled, and is not another worker's: before it does what cannot be taken back.
   * @throws the signal's reason, which is then aborted; TidemarkError when the store does not answer
   */
  confirm(): Promise<void>;
  /** Adds a line to the log of the job. */
  log(text: string): void;
}

export interface Scheduled<Payload = unknown> {
  readonly schedule: Schedule;
  readonly payload: Payload;
  /** The set, when a kind has a schedule for each set: the ids of its jobs begin with it. */
  readonly set?: string | undefined;
  /** The provider and the activity, as `cdl/mapping`, in the place of a set. */
  readonly activity?: string | undefined;
  /**
   * Time when the schedule was made, in milliseconds since 1970: earlier times are ignored. By default it always
   * existed.
   */
  readonly since?: number | undefined;
}

/** Checks the types of a definition. Jobs are stored as JSON, so the payload is whatever was added. */
export function defineJob<Payload>(definition: JobDefinition<Payload>): JobDefinition {
  return definition as JobDefinition;
}

interface NewJobOf<Payload> {
  readonly id: string;
  readonly payload: Payload;
  readonly notBefore?: number | undefined;
}

/** Makes a job of a kind, to be added to the queue. */
export function jobOf<Payload>(
  { kind, oneAtATimePer }: JobDefinition<Payload>,
  { id, payload, notBefore }: NewJobOf<Payload>,
): NewJob {
  return { kind, id, payload, notBefore, oneAtATimePer: oneAtATimePer?.(payload) };
}
