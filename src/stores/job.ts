import { randomUUID } from 'node:crypto';
import { TidemarkError } from '../core/errors.ts';

// Jobs and their state transitions, as pure functions, except for the random token of a claim: docs/operating.md lists
// the states.

export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

const JOB_KIND = /^[a-z][a-z0-9-]{0,59}$/;
/** The id is also a segment of a path, and a part of an `_id` of Elasticsearch. */
const JOB_ID = /^[A-Za-z0-9._:~-]{1,200}$/;

/**
 * Longest milliseconds for which a job waits for its time: longer than every pause between two attempts. A job with a
 * later `notBefore` is due: the clock that recorded it was ahead.
 */
export const LONGEST_PAUSE_MS = 900_000;
/** Number of workers that may die while they run a job, before it has failed: with the pauses, 40 minutes at least. */
export const MOST_DEATHS = 10;
const FIRST_DEATH_PAUSE_MS = 30_000;
/** Well below `LONGEST_PAUSE_MS`: the clock of another machine may be behind. */
const LONGEST_DEATH_PAUSE_MS = 600_000;

/** Times are in milliseconds since 1970, by the clock of the process that recorded them. */
export interface Job {
  readonly kind: string;
  readonly id: string;
  readonly payload: unknown;
  readonly state: JobState;
  /** Of the jobs of a kind with the same text, only one runs at a time. */
  readonly oneAtATimePer?: string | undefined;
  readonly added: number;
  /** The earliest time to claim it, at most `LONGEST_PAUSE_MS` from now; 0 for at once. */
  readonly notBefore: number;
  /** Number of attempts that were begun, except those that were given back, and those whose worker died. */
  readonly attempts: number;
  /** Number of attempts whose worker died; none if undefined. */
  readonly deaths?: number | undefined;
  /** The claim of the current or last attempt. */
  readonly claim?: JobClaim | undefined;
  /** The running job was cancelled, and should end. */
  readonly cancelling?: true | undefined;
  readonly progress?: JobProgress | undefined;
  /** What it waits for; kept while an attempt checks that. */
  readonly wait?: JobWait | undefined;
  /** The error of the last attempt. */
  readonly error?: string | undefined;
  readonly result?: unknown;
  readonly finished?: number | undefined;
}

interface JobClaim {
  readonly token: string;
  /** The name of the process, for people. */
  readonly worker: string;
  readonly since: number;
  /** Milliseconds without a heartbeat after which the lease ends. */
  readonly leaseMs: number;
  /** Number of heartbeats so far. Only its change matters. */
  readonly beats: number;
}

/** A wait for other work: neither an attempt nor a failure. */
export interface JobWait {
  readonly since: number;
  /** A sentence without a full stop. */
  readonly reason: string;
  /** When it stops to wait for this. */
  readonly until?: number | undefined;
}

export interface JobProgress {
  readonly done?: number | undefined;
  readonly total?: number | undefined;
  /** Describes the current work, for people. */
  readonly text?: string | undefined;
}

export interface NewJob {
  readonly kind: string;
  readonly id: string;
  readonly payload?: unknown;
  /** Milliseconds since 1970. */
  readonly notBefore?: number | undefined;
  readonly oneAtATimePer?: string | undefined;
}

export interface Worker {
  readonly name: string;
  readonly leaseMs: number;
}

/** The end of an attempt. */
export type JobEnd =
  | { readonly state: 'done'; readonly result: unknown }
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'cancelled' }
  /** The job will be tried again. */
  | { readonly state: 'queued'; readonly notBefore: number; readonly error: string }
  /** The attempt does not count. */
  | { readonly state: 'given-back'; readonly notBefore?: number; readonly wait?: JobWait };

/** The name of a job for people: `KIND/ID`. */
export function jobName({ kind, id }: Pick<Job, 'kind' | 'id'>): string {
  return `${kind}/${id}`;
}

/** The key of which only one job runs at a time; undefined when any number may run. */
export function jobKey({ kind, oneAtATimePer }: Pick<Job, 'kind' | 'oneAtATimePer'>): string | undefined {
  return oneAtATimePer === undefined ? undefined : `${kind} ${oneAtATimePer}`;
}

/** @throws TidemarkError `invalid` */
export function newJob({ kind, id, payload = {}, notBefore = 0, oneAtATimePer }: NewJob, now: number): Job {
  if (!JOB_KIND.test(kind) || !JOB_ID.test(id)) {
    throw new TidemarkError('invalid', `"${kind}/${id}" cannot be the name of a job`, { kind, id });
  }
  return {
    kind,
    id,
    payload,
    state: 'queued',
    ...(oneAtATimePer !== undefined && { oneAtATimePer }),
    added: now,
    notBefore,
    attempts: 0,
  };
}

export function claimed(job: Job, { name, leaseMs }: Worker, now: number): Job {
  const { cancelling: _, progress: __, ...rest } = job;
  const claim = { token: randomUUID(), worker: name, since: now, leaseMs, beats: 0 };
  return { ...rest, state: 'running', attempts: job.attempts + 1, claim };
}

export function beaten(job: Job, progress: JobProgress | undefined): Job {
  const claim = { ...job.claim!, beats: job.claim!.beats + 1 };
  return { ...job, claim, ...(progress !== undefined && { progress }) };
}

export function ended(job: Job, end: JobEnd, now: number): Job {
  const { cancelling, ...kept } = job;
  const { error: _, wait: __, ...rest } = kept;
  switch (end.state) {
    case 'done':
      return { ...rest, state: 'done', result: end.result, finished: now };
    case 'failed':
      return { ...rest, state: 'failed', error: end.error, finished: now };
    case 'cancelled':
      return { ...kept, state: 'cancelled', finished: now };
    case 'queued':
      if (cancelling) return { ...kept, state: 'cancelled', error: end.error, finished: now };
      return { ...rest, state: 'queued', notBefore: end.notBefore, error: end.error };
    case 'given-back':
      if (cancelling) return { ...kept, state: 'cancelled', finished: now };
      return { ...kept, ...waitingOf(end), state: 'queued', attempts: job.attempts - 1 };
  }
}

function waitingOf({ notBefore, wait }: Extract<JobEnd, { state: 'given-back' }>): Partial<Job> {
  return { ...(notBefore !== undefined && { notBefore }), ...(wait !== undefined && { wait }) };
}

/**
 * The state of a job whose worker sent no heartbeat during its lease. A worker may die for many reasons, so that is no
 * failure of the job. After the first time, it begins after pauses that grow: if it kills its workers, they do other
 * work in between, and at last it has failed.
 */
export function expired(job: Job, mostDeaths: number, now: number): Job {
  const { worker, leaseMs } = job.claim!;
  const deaths = (job.deaths ?? 0) + 1;
  const times = deaths === 1 ? '' : `, as ${deaths - 1} of those before it`;
  const error = `the worker ${worker} sent no heartbeat for ${leaseMs / 1000} s${times}`;
  const counted = { ...job, attempts: job.attempts - 1, deaths };
  if (deaths >= mostDeaths) return ended(counted, { state: 'failed', error }, now);
  const pauseMs = Math.min(FIRST_DEATH_PAUSE_MS * 2 ** (deaths - 2), LONGEST_DEATH_PAUSE_MS);
  return ended(counted, { state: 'queued', notBefore: deaths === 1 ? 0 : now + pauseMs, error }, now);
}

/**
 * Queues a failed or cancelled job again, and lets a waiting one begin at once.
 * @throws TidemarkError `conflict`
 */
export function retried(job: Job): Job {
  if (job.state === 'running' || job.state === 'done') {
    throw new TidemarkError(
      'conflict',
      `the job ${jobName(job)} is ${job.state}: only one that waits, has failed or was cancelled can be retried`,
    );
  }
  const { finished: _, cancelling: __, claim: ___, progress: ____, wait: _____, deaths: ______, ...rest } = job;
  return { ...rest, state: 'queued', notBefore: 0, attempts: 0 };
}

/** @throws TidemarkError `conflict` when it has ended */
export function cancelled(job: Job, now: number): Job {
  if (job.state === 'queued') return { ...job, state: 'cancelled', finished: now };
  // Its worker reads this at its next heartbeat.
  if (job.state === 'running') return { ...job, cancelling: true };
  if (job.state === 'cancelled') return job;
  throw new TidemarkError('conflict', `the job ${jobName(job)} is ${job.state} already`);
}
