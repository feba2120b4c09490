import { unlessConflict, unlessNotFound } from '../core/errors.ts';
import { retry } from '../lib/calls/retry.ts';
import type { NamedUpload } from '../records/arrivals/upload.ts';
import { putUploadState, readUploadState } from '../records/arrivals/upload-state.ts';
import type { Catalog } from '../stores/catalog.ts';
import { type Job, jobName } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { jobsOf } from './jobs-per.ts';

/** The kind of the jobs of uploads. */
export const PROCESS_UPLOAD = 'process-upload';

const MOST_TRIES = 5;
const BACKOFF = { firstMs: 100, longestMs: 1_000 };

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  readonly jobs: Pick<JobQueue, 'get' | 'list' | 'onUnsuccessful'>;
}

/**
 * What it means for an upload that its job has failed or was cancelled: the upload has failed, unless a part of it is
 * published (see partly-applied.ts), and is processed again only when a user requests that.
 *
 * The job ends first, and the process that has ended it then records that for the upload; if the store is away, the
 * next `visit` does. If the process is killed in between, the next process that runs jobs of uploads does so at its
 * start; so does a retry, and each removal of the records of jobs.
 */
export class UploadEnds {
  readonly #parts: Parts;
  #isChecked = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.jobs.onUnsuccessful((job) => this.#follow(job));
  }

  /** Records the end of a job for its upload, unless it was queued again since. Ignores all other jobs. */
  async record(job: Job): Promise<void> {
    if (job.kind !== PROCESS_UPLOAD || !isUnsuccessful(job)) return;
    const { catalog } = this.#parts;
    const upload = job.payload as NamedUpload;
    const before = await readUploadState(catalog, upload);
    const { applying, removed, failure: known } = before?.body ?? {};
    if (applying !== undefined || removed !== undefined || known?.isFinal) return;
    // Only now: a retry queues the job before it replaces the state, so a state that is older than a retry that is not
    // seen here cannot be replaced below.
    const current = await this.#current(job);
    if (current === undefined || !isUnsuccessful(current)) return;
    const failure = { at: current.finished!, error: reasonOf(current), isFinal: true };
    const body = { ...before?.body, failure };
    // An attempt that is late has recorded a step meanwhile.
    if ((await unlessConflict(putUploadState(catalog, upload, { body, before }))) === undefined) await this.record(job);
  }

  /** Records the ends that killed processes have not recorded. */
  async recordMissed(): Promise<void> {
    const ended = { kinds: [PROCESS_UPLOAD], states: ['failed', 'cancelled'] } as const;
    for await (const job of jobsOf(this.#parts.jobs, ended)) await this.record(job);
  }

  /** As `recordMissed`, once in a process, and again after an end that could not be recorded: call it often. */
  async visit(): Promise<void> {
    if (this.#isChecked) return;
    // Set first: an end that cannot be recorded meanwhile is left to the next call.
    this.#isChecked = true;
    await this.recordMissed().catch((error: unknown) => {
      this.#isChecked = false;
      throw error;
    });
  }

  /** The job as it is now; undefined when its record was removed. */
  #current(job: Job): Promise<Job | undefined> {
    return unlessNotFound(this.#parts.jobs.get(jobName(job)));
  }

  /** Never fails: a job has ended all the same. */
  async #follow(job: Job): Promise<void> {
    const isTemporary = (_error: unknown, failures: number) => failures < MOST_TRIES;
    await retry(() => this.record(job), { ...BACKOFF, isTemporary }).catch(() => {
      this.#isChecked = false;
    });
  }
}

function isUnsuccessful({ state }: Job): boolean {
  return state === 'failed' || state === 'cancelled';
}

/** Why an upload has failed whose last attempt has not said so itself. The error of a job is for administrators. */
function reasonOf(job: Job): string {
  if (job.state === 'cancelled') return 'its job was cancelled';
  return `its last attempt broke off, as when its process is killed: the job ${jobName(job)} says more`;
}
