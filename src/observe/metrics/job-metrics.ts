import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { JobState } from '../../stores/job.ts';
import type { JobQueue } from '../../stores/job-queue.ts';
import type { Instruments } from './instrument.ts';

const SECONDS = [0.01, 0.1, 1, 10, 60, 300, 1800, 7200];
/** Other states are not counted: their jobs are removed after some time. */
const COUNTED: readonly JobState[] = ['queued', 'running', 'failed'];
const STORE_TIMEOUT_MS = 2_000;
/** Milliseconds for which the numbers of jobs are cached: counting them costs the store two requests. */
const FRESH_MS = 10_000;

/** Metrics of jobs. */
export class JobMetrics {
  readonly #jobs;
  readonly #seconds;
  #queue: Pick<JobQueue, 'counts'> | undefined;
  #counted = Number.NEGATIVE_INFINITY;

  constructor(instruments: Instruments) {
    this.#jobs = instruments.gauge({
      name: 'tidemark_jobs',
      help: 'Jobs in the store. state: queued, running, or failed (all attempts; until the job is retried, for 30 days at most).',
      labels: ['kind', 'state'],
    });
    this.#seconds = instruments.histogram(
      {
        name: 'tidemark_job_seconds',
        help: 'Seconds that attempts of jobs took in this process. outcome: done, failed, cancelled, queued (it is tried again), given-back (the process stopped, or it waits) or lost (another process has the job).',
        labels: ['kind', 'outcome'],
      },
      SECONDS,
    );
  }

  watch(queue: Pick<JobQueue, 'counts'>): void {
    this.#queue = queue;
  }

  ended(kind: string, outcome: string, seconds: number): void {
    this.#seconds.observe({ kind, outcome }, seconds);
  }

  /** Reads the number of jobs. Returns false when the store does not answer: the old numbers stay. */
  async read(): Promise<boolean> {
    if (performance.now() - this.#counted < FRESH_MS) return true;
    const counting = this.#queue?.counts() ?? Promise.resolve([]);
    const counts = await withTimeout(counting, STORE_TIMEOUT_MS, () => undefined).catch(() => undefined);
    if (counts === undefined) return false;
    this.#counted = performance.now();
    this.#jobs.reset();
    for (const { kind, state, count } of counts) if (COUNTED.includes(state)) this.#jobs.set({ kind, state }, count);
    return true;
  }
}
