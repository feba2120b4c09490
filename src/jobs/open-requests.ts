import { isTidemarkError } from '../core/errors.ts';
import type { OpenDatasets } from '../datasets/open-datasets.ts';
import type { NamedRequest } from '../datasets/results/requests.ts';
import { type Job, jobName } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';

/** The kind of the jobs of requests of datasets. */
export const INGEST_DATASET = 'ingest-dataset';

/** Requests that a visit reads, and those whose jobs it reads: there may be a million. */
const MOST_VISITED = 1_000;
const MOST_CHECKED = 100;
/** Milliseconds between two checks of a request, which double. */
const AGAIN_MS = { first: 10_000, longest: 600_000 };

interface Parts {
  readonly jobs: Pick<JobQueue, 'get' | 'onUnsuccessful'>;
  datasets(): Pick<OpenDatasets, 'open' | 'fail'>;
}

interface Check {
  readonly at: number;
  readonly pauseMs: number;
}

/**
 * The requests of datasets that wait or run, and what becomes of them when no process ends them: a request has ended
 * when its job has failed or was cancelled; one whose job was never added gets it.
 */
export class OpenRequests {
  readonly #parts: Parts;
  /** By token: when the job is read next, in milliseconds of the monotonic clock. Those of this round, and the last. */
  #checks = new Map<string, Check>();
  #before: ReadonlyMap<string, Check> = new Map();

  constructor(parts: Parts) {
    this.#parts = parts;
    // Never fails: a job has ended all the same, and a later visit sees that.
    parts.jobs.onUnsuccessful((job) => this.#follow(job).catch(() => {}));
  }

  /** Call this often: it costs little. */
  async visit(addJob: (request: NamedRequest) => Promise<unknown>): Promise<void> {
    const now = performance.now();
    let checked = 0;
    const { requests, isRound } = await this.#parts.datasets().open(MOST_VISITED);
    for (const request of requests) {
      const { at, pauseMs } = this.#before.get(request.token) ?? { at: now, pauseMs: AGAIN_MS.first };
      const isDue = at <= now && checked < MOST_CHECKED;
      this.#checks.set(request.token, isDue ? { at: now + pauseMs, pauseMs: longer(pauseMs) } : { at, pauseMs });
      if (!isDue || request.job === undefined) continue;
      checked += 1;
      const job = await this.#jobOf(request.job);
      if (job === undefined) await addJob(request);
      else await this.#endWith(request, job);
    }
    if (!isRound) return;
    this.#before = this.#checks;
    this.#checks = new Map();
  }

  async #follow(job: Job): Promise<void> {
    if (job.kind === INGEST_DATASET) await this.#endWith(job.payload as NamedRequest, job);
  }

  async #endWith({ id, token }: NamedRequest, job: Job): Promise<void> {
    if (job.state !== 'failed' && job.state !== 'cancelled') return;
    // It may have been queued again since.
    const current = await this.#jobOf(jobName(job));
    const { datasets } = this.#parts;
    if (current?.state === 'cancelled') {
      const message = 'its job was cancelled: request it again';
      await datasets().fail({ id, token }, { isCancelled: true, message });
    }
    if (current?.state === 'failed') {
      const message = `its job ${jobName(job)} has failed: ${current.error ?? 'its process was killed'}`;
      await datasets().fail({ id, token }, { isCancelled: false, message });
    }
  }

  async #jobOf(name: string): Promise<Job | undefined> {
    return this.#parts.jobs.get(name).catch((error: unknown) => {
      if (isTidemarkError(error, 'not-found')) return undefined;
      throw error;
    });
  }
}

function longer(pauseMs: number): number {
  return Math.min(pauseMs * 2, AGAIN_MS.longest);
}
