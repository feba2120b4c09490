import type { Configuration } from '../config/configuration.ts';
import type { Backoff } from '../lib/retry.ts';
import type { JobProgress, NewJob } from '../stores/job.ts';
import type { JobParts } from './job-parts.ts';
import type { Schedule } from './schedule.ts';

/** A kind of job: a file in `kinds/`, and a row in job-list.ts. */
export interface JobDefinition<Payload = unknown> {
  readonly kind: string;
  /** What it does, for people: a sentence without its full stop. */
  readonly summary: string;
  /** How often it is tried; a function where a setting says so. */
  readonly retry: JobRetry | ((configuration: Configuration) => JobRetry);
  /**
   * A failure with `conflict` means that another process, such as a command, does the same: the job then waits for the
   * longest pause between two attempts, and the attempt does not count.
   */
  readonly waitsAfterConflict?: boolean;
  /** Thousands of them may be queued: jobs of other kinds are done alternately with them. */
  readonly isNumerous?: boolean;
  /** Of the jobs with the same text, one runs at a time. */
  oneAtATimePer?(payload: Payload): string;
  /** When it is added by itself; `schedulesOfSets` for a setting of each set. Called often: it must be quick. */
  schedules?(parts: JobParts): readonly Scheduled<Payload>[] | Promise<readonly Scheduled<Payload>[]>;
  /**
   * Adds jobs of what was recorded before its job could be added. Called as often as `schedules`, by each process that
   * runs jobs.
   */
  addMissing?(parts: JobParts): Promise<void>;
  /**
   * Does the work, and returns its result as plain data. It may run twice at the same time for one job, so it writes by
   * compare-and-set, or what never changes. It ends soon after the signal was aborted, and does not block the event
   * loop: heartbeats need it.
   */
  run(payload: Payload, parts: JobParts, run: JobRun): Promise<unknown>;
}

export interface JobRetry extends Backoff {
  /** The attempt after which it has failed. */
  readonly attempts: number;
}

export function retryOf({ retry }: Pick<JobDefinition, 'retry'>, { configuration }: JobParts): JobRetry {
  return typeof retry === 'function' ? retry(configuration) : retry;
}

/** What a job gets of the attempt that it is. */
export interface JobRun {
  /** `KIND/ID`. */
  readonly name: string;
  /** Whether the job has failed when this attempt fails. */
  readonly isLast: boolean;
  /** Aborted when the process stops, when the job is cancelled, or when another worker has it. */
  readonly signal: AbortSignal;
  report(progress: JobProgress): void;
  /** Adds a line to the log of the job. */
  log(text: string): void;
}

export interface Scheduled<Payload = unknown> {
  readonly schedule: Schedule;
  readonly payload: Payload;
  /** The set that it is of, when a kind has a schedule for each: ids of its jobs begin with it. */
  readonly set?: string | undefined;
  /** When it was made, in milliseconds since 1970: times before do not count. Default: it was always there. */
  readonly since?: number | undefined;
}

/** Checks the types of a definition. Jobs are stored as JSON, so the payload is what was added. */
export function defineJob<Payload>(definition: JobDefinition<Payload>): JobDefinition {
  return definition as JobDefinition;
}

export interface NewJobOf<Payload> {
  readonly id: string;
  readonly payload: Payload;
  readonly notBefore?: number | undefined;
}

/** A job of a kind, to be added to the queue. */
export function jobOf<Payload>(
  { kind, oneAtATimePer }: JobDefinition<Payload>,
  { id, payload, notBefore }: NewJobOf<Payload>,
): NewJob {
  return { kind, id, payload, notBefore, oneAtATimePer: oneAtATimePer?.(payload) };
}
