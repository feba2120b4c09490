import { unlessConflict, unlessNotFound } from '../core/errors.ts';
import { hasMessageToSend } from '../records/collections/harvest-messages.ts';
import { HarvestRecord, latestHarvests } from '../records/collections/harvest-record.ts';
import {
  HARVEST_RUN_KIND,
  type HarvestRun,
  isOpenHarvest,
  type NamedHarvest,
} from '../records/collections/harvest-run.ts';
import type { HarvestOfJob, HarvestRunner } from '../records/collections/harvest-runner.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import { CatalogFollower } from '../stores/catalog-follower.ts';
import { type Job, jobName } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';

/** The kind of the jobs of harvests. */
export const HARVEST = 'harvest';
/** Runs among which that of a job is searched. */
const MOST_SEARCHED = 200;

interface Parts {
  readonly catalog: Catalog;
  readonly jobs: Pick<JobQueue, 'get' | 'onUnsuccessful'>;
  /** Ends a run that no process ends. */
  endRun: HarvestRunner['fail'];
}

interface Adders {
  /** Adds the job of a run that lacks one. */
  addJob(run: NamedHarvest): Promise<unknown>;
  /** Adds the job of a message that was not accepted yet. */
  addMessage(run: NamedHarvest): Promise<unknown>;
}

interface Seen {
  readonly run: HarvestRun;
  /** When it was put last, in milliseconds of the monotonic clock. */
  readonly since: number;
}

/**
 * The harvests that wait or run, and what becomes of them when no process ends them: a run has failed when its job has
 * failed or was cancelled; that of a command without heartbeat is continued by a job.
 */
export class OpenHarvests {
  readonly #parts: Parts;
  readonly #open = new Map<string, Seen>();
  readonly #follower: CatalogFollower<HarvestRun>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#follower = new CatalogFollower(parts.catalog, { kind: HARVEST_RUN_KIND, onPut: (put) => this.#see(put) });
    // Never fails: a job has ended all the same, and the next visit sees that.
    parts.jobs.onUnsuccessful((job) => this.#follow(job).catch(() => {}));
  }

  /** Call this often: it costs little while no run is open. */
  async visit({ addJob, addMessage }: Adders): Promise<void> {
    await this.#follower.load();
    for (const { run, since } of this.#open.values()) {
      if (!isOpenHarvest(run)) await addMessage(run);
      else if (run.job !== undefined) await this.#check(run, run.job, addJob);
      else if (performance.now() - since > (run.beat?.leaseMs ?? 0)) await this.#takeOver(run, addJob);
    }
  }

  #see({ id, body: run }: CatalogDocument<HarvestRun>): void {
    if (isOpenHarvest(run) || hasMessageToSend(run)) this.#open.set(id, { run, since: performance.now() });
    else this.#open.delete(id);
  }

  async #check(run: HarvestRun, name: string, addJob: Adders['addJob']): Promise<void> {
    const job = await unlessNotFound(this.#parts.jobs.get(name));
    if (job !== undefined) await this.#endWith(run, job);
    // The job is added after the run was recorded: a process may have been killed in between.
    else await addJob(run);
  }

  /** The process of a command has ended, or cannot reach the store. */
  async #takeOver(run: HarvestRun, addJob: Adders['addJob']): Promise<void> {
    const record = await HarvestRecord.open(this.#parts.catalog, run);
    if (record.run.token !== run.token || record.run.beat?.beats !== run.beat?.beats) return;
    const job = `${HARVEST}/${run.collection}~${run.number}`;
    if (!isOpenHarvest(record.run) || (await unlessConflict(claimed(record, job))) === undefined) return;
    await addJob(run);
  }

  async #follow(job: Job): Promise<void> {
    if (job.kind !== HARVEST) return;
    const { collection, number } = job.payload as HarvestOfJob;
    if (number !== undefined) return this.#endWith({ collection, number }, job);
    const latest = await latestHarvests(this.#parts.catalog, collection, MOST_SEARCHED);
    const run = latest.find((one) => one.job === jobName(job));
    if (run !== undefined) await this.#endWith(run, job);
  }

  async #endWith(run: NamedHarvest, job: Job): Promise<void> {
    if (job.state !== 'failed' && job.state !== 'cancelled') return;
    // It may have been queued again since.
    const current = await unlessNotFound(this.#parts.jobs.get(jobName(job)));
    if (current?.state === 'cancelled') await this.#parts.endRun(run, 'its job was cancelled');
    if (current?.state === 'failed') {
      await this.#parts.endRun(run, `its job ${jobName(job)} has failed: ${current.error ?? 'its process was killed'}`);
    }
  }
}

async function claimed(record: HarvestRecord, job: string): Promise<true> {
  await record.claim({ job, beat: undefined });
  return true;
}
