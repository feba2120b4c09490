import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { pauseAfter } from '../lib/calls/retry.ts';
import { withTimeout } from '../lib/calls/with-timeout.ts';
import type { Job, Worker } from '../stores/job.ts';
import type { JobClaimer } from '../stores/job-claimer.ts';
import type { OwnedJob } from '../stores/owned-job.ts';
import { type JobDefinition, shareOf } from './job-definition.ts';
import { JobExecution, type JobOutcome } from './job-execution.ts';
import type { JobParts } from './job-parts.ts';

/** Events of a runner. */
export interface JobEvents {
  onStarted?(job: Job): void;
  onEnded?(job: Job, ended: EndedJob): void;
  /** The store does not answer. The runner tries again; called once until the store answers. */
  onTrouble?(error: TidemarkError): void;
  onRecovered?(): void;
}

export interface EndedJob {
  readonly outcome: JobOutcome;
  readonly seconds: number;
  readonly result: unknown;
  /** The error. */
  readonly failure: unknown;
}

export interface RunnerOptions {
  /** The kinds of jobs to run. */
  readonly definitions: readonly JobDefinition[];
  readonly parts: JobParts;
  readonly worker: Worker;
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  readonly events?: JobEvents;
  /** Milliseconds that running jobs have to end when the runner stops; for tests. */
  readonly stopMs?: number;
}

const STOP_MS = 10_000;
/** Milliseconds for giving a job back: the store may not answer. */
const GIVE_BACK_MS = 2_000;
/** Backoff between two polls for jobs of other processes: polls become rare while there are none. */
const POLL = { firstMs: 500, longestMs: 10_000 };
const POLLS_OF_LEASE = 3;
/** Backoff while the store does not answer. */
const TROUBLE = { firstMs: 500, longestMs: 5_000 };

/** Claims jobs and runs them, until it is stopped. */
export class JobRunner {
  readonly #options: RunnerOptions;
  readonly #definitions: ReadonlyMap<string, JobDefinition>;
  readonly #claimer: JobClaimer;
  readonly #running = new Set<JobExecution>();
  readonly #stopping = new AbortController();
  /** Aborted to end a pause early: a job was queued, or has ended. */
  #awake = new AbortController();
  #inTrouble = false;
  #loop: Promise<void> = Promise.resolve();
  #forget: () => void = () => {};

  constructor(options: RunnerOptions) {
    const { definitions, parts, worker } = options;
    this.#options = options;
    this.#definitions = new Map(definitions.map((definition) => [definition.kind, definition]));
    this.#claimer = parts.jobs.queue.claimer({
      kinds: [...this.#definitions.keys()],
      numerousKinds: definitions.filter(({ isNumerous }) => isNumerous).map(({ kind }) => kind),
      worker,
      shareOf: (job) => shareOf(this.#definitions.get(job.kind)!, job),
      fullShares: () => this.#fullShares(),
    });
  }

  start(): void {
    this.#forget = this.#options.parts.jobs.queue.onQueued(() => this.#wake());
    this.#loop = this.#claimAndRun();
  }

  /**
   * Claims no more jobs, and aborts the running ones. Resolves when all have ended, after 10 seconds at most; jobs that
   * still run then are given back.
   */
  async stop(): Promise<void> {
    this.#forget();
    this.#stopping.abort();
    this.#wake();
    for (const execution of this.#running) execution.stop();
    const { stopMs = STOP_MS } = this.#options;
    await withTimeout(this.#ended(), stopMs, () => {});
    const late = [...this.#running].map((execution) => execution.abandon().catch(() => {}));
    await withTimeout(Promise.all(late), GIVE_BACK_MS, () => {});
  }

  /** Resolves when the claiming and all claimed jobs have ended. */
  async #ended(): Promise<void> {
    await this.#loop;
    await Promise.all([...this.#running].map(({ outcome }) => outcome));
  }

  async #claimAndRun(): Promise<void> {
    let idle = 0;
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      this.#awake = new AbortController();
      try {
        const isFull = this.#running.size >= this.#options.concurrency;
        const owned = isFull ? await this.#watch() : await this.#claimer.claim();
        failures = 0;
        this.#reportRecovered();
        if (isFull) continue;
        idle = owned === undefined ? idle + 1 : 0;
        if (owned === undefined) await this.#pause(this.#pauseMs(idle));
        else this.#run(owned);
      } catch (error) {
        failures += 1;
        this.#reportTrouble(error);
        await pauseAfter(failures, TROUBLE, this.#stopping.signal).catch(() => {});
      }
    }
  }

  /** Waits for a running job to end. If that takes long, takes over expired jobs of other workers. */
  async #watch(): Promise<undefined> {
    await this.#pause(this.#pauseMs(Number.POSITIVE_INFINITY));
    if (!this.#awake.signal.aborted) await this.#claimer.watch();
  }

  /** @param idle number of polls without a job since the last job */
  #pauseMs(idle: number): number {
    const longestMs = Math.min(POLL.longestMs, this.#options.worker.leaseMs / POLLS_OF_LEASE);
    return Math.min(POLL.firstMs * 2 ** idle, longestMs);
  }

  /** Waits; ends early when a job was queued, or has ended. */
  async #pause(milliseconds: number): Promise<void> {
    await wait(milliseconds, undefined, { signal: this.#awake.signal }).catch(() => {});
  }

  #wake(): void {
    this.#awake.abort();
  }

  #run(owned: OwnedJob): void {
    const { job } = owned;
    const { parts, events = {} } = this.#options;
    const began = performance.now();
    const execution = new JobExecution({ owned, definition: this.#definitions.get(job.kind)!, parts });
    this.#running.add(execution);
    events.onStarted?.(job);
    if (this.#stopping.signal.aborted) execution.stop();
    execution.outcome
      .then((outcome) => {
        this.#running.delete(execution);
        this.#wake();
        const { result, failure } = execution;
        events.onEnded?.(job, { outcome, seconds: (performance.now() - began) / 1000, result, failure });
      })
      .catch((error: unknown) => this.#reportTrouble(error));
  }

  /** One place is left to other shares, if there are several. */
  #fullShares(): readonly string[] {
    const most = Math.max(this.#options.concurrency - 1, 1);
    const shares = Map.groupBy(this.#running, ({ share }) => share);
    return [...shares].flatMap(([share, { length }]) => (share !== undefined && length >= most ? [share] : []));
  }

  #reportRecovered(): void {
    if (this.#inTrouble) this.#options.events?.onRecovered?.();
    this.#inTrouble = false;
  }

  #reportTrouble(error: unknown): void {
    if (!this.#inTrouble) this.#options.events?.onTrouble?.(asTrouble(error));
    this.#inTrouble = true;
  }
}

function asTrouble(error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  const text = error instanceof Error ? error.stack : String(error);
  return new TidemarkError('unavailable', `jobs cannot be claimed: ${text}`, {}, error);
}
