import { setTimeout as wait } from 'node:timers/promises';
import { isStoreAway } from '../artifacts/is-store-away.ts';
import { isScratchFull, isTidemarkError, TidemarkError } from '../core/errors.ts';
import { withoutPaths } from '../core/without-paths.ts';
import { backoffMs, pauseAfter } from '../lib/calls/retry.ts';
import { failpoint } from '../lib/failpoint.ts';
import { type Job, type JobEnd, type JobProgress, jobName } from '../stores/job.ts';
import { ARTIFACT_STORE_AWAY, JobWaits, SCRATCH_FULL } from '../stores/job-waits.ts';
import type { OwnedJob } from '../stores/owned-job.ts';
import { hasMoved, isPaused } from '../stores/store-fence.ts';
import { type JobDefinition, type JobRetry, retryOf, shareOf } from './job-definition.ts';
import { JobLog } from './job-log.ts';
import type { JobParts } from './job-parts.ts';

/** `lost`: another worker has taken the job. */
export type JobOutcome = JobEnd['state'] | 'lost';

interface ExecutionParts {
  readonly owned: OwnedJob;
  readonly definition: JobDefinition;
  readonly parts: JobParts;
}

const LONGEST_BEAT_INTERVAL_MS = 3_000;
const BEATS_OF_LEASE = 6;
/** Shortest and longest milliseconds until a job tries again whether the artifact store, or the disk, is usable. */
const AWAY_AGAIN_MS = { least: 5_000, most: 60_000 };
/** Milliseconds: a pause of the store is shorter than ten seconds. */
const STORE_MOVES = { againMs: 1_000 };
/** Backoff between attempts to record how the job ended. */
const RECORD_BACKOFF = { firstMs: 100, longestMs: 3_000 };

/** One attempt to run a job: sends heartbeats while it runs, and records how it ended. */
export class JobExecution {
  readonly #job: Job;
  readonly #owned: OwnedJob;
  readonly #definition: JobDefinition;
  readonly #parts: JobParts;
  readonly #retry: JobRetry;
  readonly #log = new JobLog();
  /** Aborted to end the job. The reason contains the outcome: an end, or `lost`. */
  readonly #ending = new AbortController();
  readonly #over = new AbortController();
  #progress: JobProgress | undefined;
  #isAbandoned = false;
  /** Resolves when the end is recorded, or another worker has the job. Never rejects. */
  readonly outcome: Promise<JobOutcome>;

  constructor({ owned, definition, parts }: ExecutionParts) {
    this.#job = owned.job;
    this.#owned = owned;
    this.#definition = definition;
    this.#parts = parts;
    this.#retry = retryOf(definition, parts);
    this.outcome = this.#execute();
  }

  get name(): string {
    return jobName(this.#job);
  }

  get share(): string | undefined {
    return shareOf(this.#definition, this.#job);
  }

  /** The error of the attempt, or its result, once it has ended. */
  failure: unknown;
  result: unknown;

  /** Called when the process stops: ends the job soon, and gives it back when it is not complete. */
  stop(): void {
    this.#end('given-back');
  }

  /** Gives the job back although it still runs: what it records after that is refused. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    this.#over.abort();
    await this.#owned.finish({ state: 'given-back' });
  }

  #end(reason: JobOutcome): void {
    if (!this.#ending.signal.aborted) this.#ending.abort(new Ending(reason));
  }

  async #execute(): Promise<JobOutcome> {
    const beating = this.#beat();
    const end = await this.#attempt();
    this.#over.abort();
    await beating;
    if (end === 'lost' || this.#isAbandoned) return 'lost';
    failpoint('job.ended');
    return this.#record(end);
  }

  async #attempt(): Promise<JobEnd | 'lost'> {
    const { attempts, payload } = this.#job;
    try {
      failpoint('job.claimed');
      if (attempts > 1) this.#log.add(`attempt ${attempts} of ${this.#retry.attempts}`);
      const { name } = this;
      const run = {
        name,
        isLast: attempts >= this.#retry.attempts,
        wait: this.#job.wait,
        signal: this.#ending.signal,
        report: (progress: JobProgress) => {
          this.#progress = progress;
        },
        confirm: () => this.#confirm(),
        log: (text: string) => this.#log.add(text),
      };
      this.result = (await this.#definition.run(payload, this.#parts, run)) ?? {};
      return { state: 'done', result: this.result };
    } catch (error) {
      return this.#endOf(error);
    }
  }

  async #endOf(error: unknown): Promise<JobEnd | 'lost'> {
    const reason: unknown = this.#ending.signal.reason;
    if (reason instanceof Ending) {
      if (reason.outcome === 'lost') return 'lost';
      return reason.outcome === 'cancelled' ? { state: 'cancelled' } : { state: 'given-back' };
    }
    const { attempts: most, ...backoff } = this.#retry;
    const { attempts } = this.#job;
    const text = isTidemarkError(error) ? withoutPaths(error).message : String(error);
    this.failure = error;
    if (error instanceof JobWaits) return this.#waits(text, error);
    // It goes on at the old store, or at the new one.
    if (isPaused(error) || hasMoved(error)) return this.#waits('the store is being moved', STORE_MOVES);
    if (await isStoreAway(error, this.#parts.artifacts)) return this.#waitsFor(`${ARTIFACT_STORE_AWAY}: ${text}`);
    if (isScratchFull(error)) return this.#waitsFor(`${SCRATCH_FULL}: ${text}`);
    if (this.#definition.waitsAfterConflict && isTidemarkError(error, 'conflict')) {
      return this.#waits(text, { againMs: backoffMs(most, backoff) });
    }
    this.#log.add(`attempt ${attempts} failed: ${text}`);
    // Invalid input stays invalid.
    if (attempts >= most || isTidemarkError(error, 'invalid')) return { state: 'failed', error: text };
    return { state: 'queued', notBefore: Date.now() + backoffMs(attempts, backoff), error: text };
  }

  /** However long that takes. The pause grows with the time for which the job waits. */
  #waitsFor(reason: string): JobEnd {
    const waitedMs = Date.now() - (this.#job.wait?.since ?? Date.now());
    const againMs = Math.min(Math.max(waitedMs, AWAY_AGAIN_MS.least), AWAY_AGAIN_MS.most);
    return this.#waits(reason, { againMs });
  }

  #waits(reason: string, { againMs, until }: Pick<JobWaits, 'againMs'> & Partial<JobWaits>): JobEnd {
    const { wait } = this.#job;
    if (wait?.reason !== reason) this.#log.add(`waits: ${reason}`);
    const now = Date.now();
    return { state: 'given-back', notBefore: now + againMs, wait: { since: wait?.since ?? now, reason, until } };
  }

  /** Sends heartbeats until the job has ended. When the store does not answer, it tries again. */
  async #beat(): Promise<void> {
    const { signal } = this.#over;
    const { leaseMs } = this.#job.claim!;
    const interval = Math.min(leaseMs / BEATS_OF_LEASE, LONGEST_BEAT_INTERVAL_MS);
    for (;;) {
      await wait(interval, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const isOwned = await this.#checkOwned(this.#heartbeat()).catch(() => true);
      if (!isOwned) return;
    }
  }

  async #confirm(): Promise<void> {
    await this.#checkOwned(this.#owned.heartbeat(this.#progress));
    this.#ending.signal.throwIfAborted();
  }

  /** Ends the job when a heartbeat shows that it was cancelled, or that another worker has it: false then. */
  async #checkOwned(heartbeat: Promise<{ readonly cancelling: boolean }>): Promise<boolean> {
    try {
      if ((await heartbeat).cancelling) this.#end('cancelled');
      return true;
    } catch (error) {
      if (!isTidemarkError(error, 'conflict')) throw error;
      this.#end('lost');
      return false;
    }
  }

  async #heartbeat(): Promise<{ readonly cancelling: boolean }> {
    if (this.#log.isStored) return this.#owned.heartbeat(this.#progress);
    if (!this.#log.hasBegun) this.#log.begin(await this.#parts.jobs.queue.log(this.name));
    this.#log.isStored = true;
    return this.#owned.putLog(this.#log.lines, this.#progress).catch((error: unknown) => {
      this.#log.isStored = false;
      throw error;
    });
  }

  /** Records the end, repeatedly until the store accepts it. */
  async #record(end: JobEnd): Promise<JobOutcome> {
    for (let failures = 1; !this.#isAbandoned; failures++) {
      try {
        if (!this.#log.isStored) await this.#heartbeat();
        const { state } = await this.#owned.finish(end);
        return state === 'cancelled' ? state : end.state;
      } catch (error) {
        if (isTidemarkError(error, 'conflict')) return 'lost';
        await pauseAfter(failures, RECORD_BACKOFF);
      }
    }
    return 'lost';
  }
}

/** The reason for ending a job. */
class Ending extends TidemarkError {
  readonly outcome: JobOutcome;

  constructor(outcome: JobOutcome) {
    const why = { cancelled: 'it was cancelled', lost: 'another worker has it' } as Record<JobOutcome, string>;
    super('unavailable', `the job was stopped: ${why[outcome] ?? 'the process stops'}`);
    this.outcome = outcome;
  }
}
