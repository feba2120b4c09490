import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { findArtifact } from '../artifacts/find-artifacts.ts';
import { unlessConflict, unlessNotFound } from '../core/errors.ts';
import { readRunSummary } from '../records/activities/run-summary.ts';
import { type ActivityRun, isOpenRun, type NamedRun, RUN_KIND } from '../records/runs/activity-run.ts';
import { findRunOfJob } from '../records/runs/find-runs.ts';
import { RunRecord } from '../records/runs/run-record.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import { CatalogFollower } from '../stores/catalog-follower.ts';
import type { Job } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';

/** The kind of the jobs of runs of activities. */
export const RUN_ACTIVITY = 'run-activity';

interface Parts {
  readonly catalog: Catalog;
  readonly artifacts: ArtifactStore;
  readonly jobs: Pick<JobQueue, 'get' | 'onUnsuccessful'>;
}

interface Seen {
  readonly run: ActivityRun;
  /** When it was put last, in milliseconds of the monotonic clock. */
  readonly since: number;
}

/**
 * The runs that wait or run, and what becomes of them when no process ends them: a run has failed when its job has
 * failed or was cancelled, and a run of a command when that sends no heartbeat any more.
 */
export class OpenRuns {
  readonly #parts: Parts;
  readonly #open = new Map<string, Seen>();
  readonly #follower: CatalogFollower<ActivityRun>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#follower = new CatalogFollower(parts.catalog, { kind: RUN_KIND, onPut: (put) => this.#see(put) });
    // Never fails: a job has ended all the same, and the next visit sees that.
    parts.jobs.onUnsuccessful((job) => this.#follow(job).catch(() => {}));
  }

  /** Call this often: it costs little while no run is open. @param addJob adds the job of a run that lacks one */
  async visit(addJob: (run: NamedRun) => Promise<unknown>): Promise<void> {
    await this.#follower.load();
    for (const { run, since } of this.#open.values()) {
      if (run.job !== undefined) await this.#check(run, run.job, addJob);
      else if (performance.now() - since > (run.beat?.leaseMs ?? 0)) await this.#endDead(run);
    }
  }

  #see({ id, body: run }: CatalogDocument<ActivityRun>): void {
    if (isOpenRun(run)) this.#open.set(id, { run, since: performance.now() });
    else this.#open.delete(id);
  }

  async #check(run: ActivityRun, name: string, addJob: (run: NamedRun) => Promise<unknown>): Promise<void> {
    const job = await unlessNotFound(this.#parts.jobs.get(name));
    if (job !== undefined) await this.#endWith(run, job);
    // The job is added after the run was recorded: a process may have been killed in between.
    else if (run.started === undefined) await addJob(run);
    else await this.#fail(run, () => Promise.resolve('its job was removed before it had ended'));
  }

  async #follow(job: Job): Promise<void> {
    if (job.kind !== RUN_ACTIVITY) return;
    const work = job.payload as Pick<NamedRun, 'organization' | 'activity'> & Partial<NamedRun>;
    const name = `${job.kind}/${job.id}`;
    const { number } = work;
    const run = number === undefined ? await findRunOfJob(this.#parts.catalog, work, name) : { ...work, number };
    if (run !== undefined) await this.#endWith(run, job);
  }

  async #endWith(run: NamedRun, { kind, id, state }: Job): Promise<void> {
    if (state !== 'failed' && state !== 'cancelled') return;
    const name = `${kind}/${id}`;
    await this.#fail(run, async ({ failure }) => {
      // It may have been queued again since.
      const current = (await unlessNotFound(this.#parts.jobs.get(name)))?.state;
      if (current === 'cancelled') return 'its job was cancelled';
      if (current !== 'failed') return undefined;
      return failure ?? `its last attempt broke off, as when its process is killed: the job ${name} says more`;
    });
  }

  /** The process of a command has ended, or cannot reach the store. */
  async #endDead(run: ActivityRun): Promise<void> {
    const { artifacts, catalog } = this.#parts;
    const { claimed } = run;
    const summary =
      claimed !== undefined && (await findArtifact(artifacts, claimed)) !== undefined
        ? await readRunSummary(artifacts, claimed)
        : undefined;
    if (summary === undefined) {
      return this.#fail(run, async ({ beat }) =>
        beat?.beats === run.beat?.beats ? 'its process ended before it was done' : undefined,
      );
    }
    const record = await RunRecord.open(catalog, run);
    if (record !== undefined && isOpenRun(record.run)) await unlessConflict(record.endWith(summary));
  }

  /** @param reasonOf returns why a run has failed; undefined when it has not. Called after the run was read */
  async #fail(name: NamedRun, reasonOf: (run: ActivityRun) => Promise<string | undefined>): Promise<void> {
    const record = await RunRecord.open(this.#parts.catalog, name);
    if (record === undefined || !isOpenRun(record.run)) return;
    const reason = await reasonOf(record.run);
    if (reason !== undefined) await unlessConflict(record.fail(reason));
  }
}
