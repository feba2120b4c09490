import { setTimeout as wait } from 'node:timers/promises';
import { addJob, type JobDefinition, type Scheduled } from './job-definition.ts';
import type { JobParts } from './job-parts.ts';
import { idOfTime } from './schedule.ts';

/** When a job is added next. */
export interface NextTime {
  readonly kind: string;
  readonly schedule: string;
  /** Milliseconds since 1970. */
  readonly next: number;
}

/** Between two reads of the clock at most: it may be set, and the machine may sleep. */
const LONGEST_PAUSE_MS = 10_000;
const RETRY_MS = 1_000;
/** Recent jobs of a kind that are read to find whether a schedule was followed before. */
const RECENT = 100;

export interface SchedulerOptions {
  readonly definitions: readonly JobDefinition[];
  readonly parts: JobParts;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

/**
 * Adds jobs at their scheduled times. Any number of processes may do so, since the id of a job is its time. The last
 * time that was missed while no process ran is made up for; those before it are not.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #now: () => number;
  readonly #stopping = new AbortController();
  /** The last time of each schedule that was added, or is none to be added. */
  readonly #added = new Map<string, number>();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  /** Adds what is due now. @throws TidemarkError when the store does not answer: call it again */
  async addDue(): Promise<void> {
    const now = this.#now();
    for (const { definition, scheduled } of eachSchedule(this.#options)) {
      const time = scheduled.schedule.last(now);
      if (time !== undefined) await this.#addOnce(definition, scheduled, time);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let pauseMs = LONGEST_PAUSE_MS;
      try {
        await this.addDue();
        const now = this.#now();
        const next = Math.min(...nextTimes(this.#options, now).map((time) => time.next));
        pauseMs = Math.min(Math.max(next - now, 1), LONGEST_PAUSE_MS);
      } catch {
        // The runner reports a store that does not answer.
        pauseMs = RETRY_MS;
      }
      await wait(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async #addOnce(definition: JobDefinition, { schedule, payload, prefix }: Scheduled, time: number): Promise<void> {
    const key = `${definition.kind} ${prefix ?? ''} ${schedule.text}`;
    const last = this.#added.get(key);
    if (last !== undefined && last >= time) return;
    const begins = last !== undefined || schedule.beginsAtOnce || (await this.#wasFollowed(definition, prefix));
    if (begins) await addJob(this.#options.parts.jobs, definition, { id: idOfTime(time, prefix), payload });
    this.#added.set(key, time);
  }

  async #wasFollowed({ kind }: JobDefinition, prefix: string | undefined): Promise<boolean> {
    const recent = await this.#options.parts.jobs.list({ kinds: [kind], limit: RECENT });
    return recent.some(({ id }) => prefix === undefined || id.startsWith(`${prefix}.`));
  }
}

/** The next times of all schedules, the soonest first. */
export function nextTimes({ definitions, parts }: SchedulerOptions, now: number): readonly NextTime[] {
  const times = [...eachSchedule({ definitions, parts })].flatMap(({ definition: { kind }, scheduled }) => {
    const next = scheduled.schedule.next(now);
    return next === undefined ? [] : [{ kind, schedule: scheduled.schedule.text, next }];
  });
  return times.sort((one, other) => one.next - other.next);
}

function* eachSchedule({ definitions, parts }: SchedulerOptions) {
  for (const definition of definitions) {
    for (const scheduled of definition.schedules?.(parts) ?? []) yield { definition, scheduled };
  }
}
