import { unlessConflict } from '../core/errors.ts';
import { retry } from '../lib/retry.ts';
import type { Catalog } from '../stores/catalog.ts';
import { type Job, jobName } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import type { NamedUpload } from '../streams/uploads/upload.ts';
import { putUploadState, readUploadState } from '../streams/uploads/upload-state.ts';
import { jobsOf } from './jobs-per.ts';

/** The kind of the jobs of uploads. */
export const PROCESS_UPLOAD = 'process-upload';

const MOST_TRIES = 5;
const BACKOFF = { firstMs: 100, longestMs: 1_000 };

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  readonly jobs: Pick<JobQueue, 'list' | 'onUnsuccessful'>;
}

/**
 * What it means for an upload that its job has failed or was cancelled: the upload has failed, unless a part of it is
 * published (see partly-applied.ts), and is processed again only when a user requests that.
 *
 * The job ends first, and the process that has ended it then records that for the upload. If it is killed in between,
 * the next process that runs jobs of uploads does so at its start; so does a retry, and each removal of the records of
 * jobs.
 */
export class UploadEnds {
  readonly #parts: Parts;
  #isChecked = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.jobs.onUnsuccessful((job) => this.#follow(job));
  }

  /** Records the end of a job for its upload. Ignores all other jobs. */
  async record(job: Job): Promise<void> {
    if (job.kind !== PROCESS_UPLOAD || (job.state !== 'failed' && job.state !== 'cancelled')) return;
    const { catalog } = this.#parts;
    const upload = job.payload as NamedUpload;
    const before = await readUploadState(catalog, upload);
    if (before?.body.applying !== undefined || before?.body.failure?.isFinal) return;
    const failure = { at: job.finished!, error: reasonOf(job), isFinal: true };
    const body = { ...before?.body, failure };
    // An attempt that is late has recorded a step meanwhile.
    if ((await unlessConflict(putUploadState(catalog, upload, { body, before }))) === undefined) await this.record(job);
  }

  /** Records the ends that killed processes have not recorded. */
  async recordMissed(): Promise<void> {
    const ended = { kinds: [PROCESS_UPLOAD], states: ['failed', 'cancelled'] } as const;
    for await (const job of jobsOf(this.#parts.jobs, ended)) await this.record(job);
  }

  /** As `recordMissed`, once in a process: call it often. */
  async visit(): Promise<void> {
    if (!this.#isChecked) await this.recordMissed();
    this.#isChecked = true;
  }

  /** Never fails: a job has ended all the same. */
  async #follow(job: Job): Promise<void> {
    const isTemporary = (_error: unknown, failures: number) => failures < MOST_TRIES;
    await retry(() => this.record(job), { ...BACKOFF, isTemporary }).catch(() => {});
  }
}

/** Why an upload has failed whose last attempt has not said so itself. The error of a job is for administrators. */
function reasonOf(job: Job): string {
  if (job.state === 'cancelled') return 'its job was cancelled';
  return `its last attempt broke off, as when its process is killed: the job ${jobName(job)} says more`;
}
