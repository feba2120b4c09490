import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { withTimeout } from '../lib/calls/with-timeout.ts';
import type { Job, NewJob } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { type JobDefinition, jobOf, type Scheduled } from './job-definition.ts';
import type { JobParts } from './job-parts.ts';
import { jobsOf } from './jobs-per.ts';
import { idOfTime } from './schedule.ts';

/** The next time at which a job is added. */
export interface NextTime {
  readonly kind: string;
  /** The set that it works on, if there is one for each. */
  readonly set?: string | undefined;
  /** The provider and the activity that it runs, as `cdl/mapping`. */
  readonly activity?: string | undefined;
  readonly schedule: string;
  /** Milliseconds since 1970. */
  readonly next: number;
}

/** Longest time between two reads of the clock: it may be set, and the machine may sleep. */
const LONGEST_PAUSE_MS = 10_000;
const RETRY_MS = 1_000;
const STOP_MS = 10_000;
/** Milliseconds for which a missed time is made up for: the records of older jobs may have been removed. */
const MADE_UP_FOR_MS = 6 * 86_400_000;
/**
 * Of the times of sets that were missed while no process ran, how many are made up for whenever the clock is read:
 * after an update, hundreds of dumps must not begin together.
 */
const MISSED_AT_ONCE = 2;
/** Number of jobs that are added at a time. */
const BATCH = 1_000;

interface SchedulerOptions {
  readonly definitions: readonly JobDefinition[];
  readonly parts: JobParts;
  /** Due jobs cannot be added. The scheduler tries again; called once until it succeeds. */
  onTrouble?(error: unknown): void;
  onRecovered?(): void;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

/**
 * Adds jobs at their scheduled times. Any number of processes may do so, since the id of a job contains its time. If
 * times were missed while no process ran, only the last of them is made up for.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #now: () => number;
  readonly #stopping = new AbortController();
  /** By schedule: the last time that was added or skipped. */
  readonly #added = new Map<string, number>();
  #loop: Promise<void> = Promise.resolve();
  #inTrouble = false;
  /** When the first jobs were added. */
  #began = Number.POSITIVE_INFINITY;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Resolves after 10 seconds at most, when the store does not answer. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await withTimeout(this.#loop, STOP_MS, () => {});
  }

  /** Adds the jobs that are due. @throws TidemarkError when the store does not answer: call it again */
  async addDue(): Promise<void> {
    const now = this.#now();
    const due: Due[] = [];
    this.#began = Math.min(this.#began, now);
    let missed = 0;
    const waiting = new WaitingJobs(this.#options.parts.jobs.queue);
    for (const { definition, scheduled } of await allSchedules(this.#options)) {
      const time = scheduled.schedule.last(now);
      if (time === undefined || this.#isAdded(definition, scheduled, { time, now })) continue;
      const job = jobOf(definition, { id: idOfTime(time, subjectOf(scheduled)), payload: scheduled.payload });
      const counts = (await this.#counts(definition, scheduled, { time, now })) && !(await waiting.has(job));
      const isMissed = counts && scheduled.set !== undefined && time < this.#began;
      if (isMissed && missed++ >= MISSED_AT_ONCE) continue;
      due.push({ key: keyOf(definition, scheduled), time, job: counts ? job : undefined });
    }
    for (let at = 0; at < due.length; at += BATCH) await this.#add(due.slice(at, at + BATCH));
    const { definitions, parts } = this.#options;
    for (const definition of definitions) await definition.addMissing?.(parts);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let pauseMs = LONGEST_PAUSE_MS;
      try {
        await this.addDue();
        if (this.#inTrouble) this.#options.onRecovered?.();
        this.#inTrouble = false;
        const now = this.#now();
        const [soonest] = await nextTimes(this.#options, now);
        pauseMs = Math.min(Math.max((soonest?.next ?? Number.POSITIVE_INFINITY) - now, 1), LONGEST_PAUSE_MS);
      } catch (error) {
        // The store may be closed when stopping took too long.
        if (signal.aborted) return;
        if (!this.#inTrouble) this.#options.onTrouble?.(error);
        this.#inTrouble = true;
        pauseMs = RETRY_MS;
      }
      await wait(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  /**
   * Whether the job of this time was added. If the last added time is in the future, the clock was ahead then: earlier
   * times may still be missing.
   */
  #isAdded(definition: JobDefinition, scheduled: Scheduled, { time, now }: { time: number; now: number }): boolean {
    const last = this.#added.get(keyOf(definition, scheduled));
    return last !== undefined && last >= time && last <= now;
  }

  /** Whether a time counts that this process has not handled yet. */
  async #counts(definition: JobDefinition, scheduled: Scheduled, { time, now }: { time: number; now: number }) {
    const { schedule, since } = scheduled;
    if (schedule.beginsAtOnce) return true;
    if (now - time > MADE_UP_FOR_MS) return false;
    if (since !== undefined) return time > since;
    return this.#added.has(keyOf(definition, scheduled)) || (await this.#wasFollowed(definition));
  }

  async #add(due: readonly Due[]): Promise<void> {
    const jobs = due.flatMap(({ job }) => job ?? []);
    if (jobs.length > 0) await this.#options.parts.jobs.queue.addAll(jobs);
    for (const { key, time } of due) this.#added.set(key, time);
  }

  async #wasFollowed({ kind }: JobDefinition): Promise<boolean> {
    return (await this.#options.parts.jobs.queue.list({ kinds: [kind], limit: 1 })).length > 0;
  }
}

/** The queued jobs that wait for other work; those of a kind are read once. Thousands may be due at one time. */
class WaitingJobs {
  readonly #jobs: Pick<JobQueue, 'list'>;
  readonly #ofKinds = new Map<string, readonly Job[]>();

  constructor(jobs: Pick<JobQueue, 'list'>) {
    this.#jobs = jobs;
  }

  /** Whether one of an earlier time does the same. */
  async has({ kind, payload, oneAtATimePer }: NewJob): Promise<boolean> {
    const waiting = this.#ofKinds.get(kind) ?? (await this.#read(kind));
    this.#ofKinds.set(kind, waiting);
    return waiting.some((job) => job.oneAtATimePer === oneAtATimePer && isDeepStrictEqual(job.payload, payload));
  }

  async #read(kind: string): Promise<readonly Job[]> {
    const waiting: Job[] = [];
    for await (const job of jobsOf(this.#jobs, { kinds: [kind], states: ['queued'] })) if (job.wait) waiting.push(job);
    return waiting;
  }
}

/** A time that has not been handled yet. */
interface Due {
  readonly key: string;
  readonly time: number;
  /** Undefined when the time does not count. */
  readonly job: NewJob | undefined;
}

/** The next times of all schedules, the soonest first. */
export async function nextTimes(options: SchedulerOptions, now: number): Promise<readonly NextTime[]> {
  const times = (await allSchedules(options)).flatMap(({ definition: { kind }, scheduled }) => {
    const { schedule, set, activity } = scheduled;
    const next = schedule.next(now);
    const subject = { ...(set !== undefined && { set }), ...(activity !== undefined && { activity }) };
    return next === undefined ? [] : [{ kind, ...subject, schedule: schedule.text, next }];
  });
  return times.sort((one, other) => one.next - other.next);
}

async function allSchedules({ definitions, parts }: SchedulerOptions) {
  const all: { readonly definition: JobDefinition; readonly scheduled: Scheduled }[] = [];
  for (const definition of definitions) {
    for (const scheduled of (await definition.schedules?.(parts)) ?? []) all.push({ definition, scheduled });
  }
  return all;
}

function keyOf({ kind }: JobDefinition, scheduled: Scheduled): string {
  return `${kind} ${subjectOf(scheduled) ?? ''} ${scheduled.schedule.text}`;
}

/** What it works on, as the beginning of the ids of its jobs. */
function subjectOf({ set, activity }: Scheduled): string | undefined {
  return set ?? activity?.replace('/', '~');
}
