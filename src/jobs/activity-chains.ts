import { setTimeout as wait } from 'node:timers/promises';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { type FoundArtifact, latestArtifact } from '../artifacts/find-artifacts.ts';
import { parseAvroKey } from '../artifacts/keys/avro-key.ts';
import { readProvenance } from '../artifacts/provenance.ts';
import { formatTimestamp } from '../artifacts/timestamp.ts';
import type { ActivitySchedule } from '../records/activities/schedules.ts';
import type { Records } from '../records/open-records.ts';
import type { Organization } from '../records/organization.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { jobOf } from './job-definition.ts';
import { runActivityJob } from './kinds/run-activity.ts';

interface ChainParts {
  readonly records: Pick<Records, 'organizations' | 'runs'>;
  readonly artifacts: ArtifactStore;
  readonly jobs: { readonly queue: Pick<JobQueue, 'addAll'> };
}

interface ChainOptions {
  readonly parts: ChainParts;
  /** Milliseconds between two polls. */
  readonly intervalMs: number;
  /** A poll failed. Called once until one succeeds. */
  onTrouble(error: unknown): void;
  onRecovered(): void;
}

/** Number of runs of an activity among which one of an artifact is searched. */
const MOST_RUNS = 200;

/**
 * Runs activities that follow another one: when that has a newer artifact than the one that they have read last,
 * whichever program has written it. Any number of processes may do so, since the id of the job contains the time of the
 * artifact. An artifact that was tried is not tried again: a run that failed or was stopped ends the chain there.
 */
export class ActivityChains {
  readonly #options: ChainOptions;
  readonly #stopping = new AbortController();
  /** By schedule: the key of the artifact for which everything is done. */
  readonly #done = new Map<string, string>();
  #loop: Promise<void> = Promise.resolve();
  #inTrouble = false;

  constructor(options: ChainOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  /** Adds the jobs of the runs that are due. @throws TidemarkError when a store does not answer */
  async poll(): Promise<void> {
    for (const organization of await this.#options.parts.records.organizations.list()) {
      for (const schedule of organization.activities ?? []) {
        if (this.#stopping.signal.aborted) return;
        if (schedule.after !== undefined) await this.#follow(organization, schedule, schedule.after);
      }
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.poll();
        if (this.#inTrouble) this.#options.onRecovered();
        this.#inTrouble = false;
      } catch (error) {
        if (!this.#inTrouble) this.#options.onTrouble(error);
        this.#inTrouble = true;
      }
      await wait(this.#options.intervalMs, undefined, { signal }).catch(() => {});
    }
  }

  async #follow(
    { id: organization }: Organization,
    { activity, options, since }: ActivitySchedule,
    after: NonNullable<ActivitySchedule['after']>,
  ): Promise<void> {
    const { artifacts, jobs } = this.#options.parts;
    const newest = await latestArtifact(artifacts, { provider: organization, activity: after });
    const name = `${organization}/${activity}/${since}`;
    if (newest === undefined || this.#done.get(name) === newest.key) return;
    if (!(await this.#wasRead(organization, activity, newest))) {
      const job = jobOf(runActivityJob, {
        id: `${organization}~${activity}.after.${after}.${formatTimestamp(newest.start)}`,
        payload: {
          organization,
          activity,
          options: { ...options, input: newest.key },
          trigger: { by: 'chain', after },
        },
      });
      await jobs.queue.addAll([job]);
    }
    this.#done.set(name, newest.key);
  }

  /** Whether a run, or the newest artifact, of an activity has read an artifact, or a newer one. */
  async #wasRead(
    organization: string,
    activity: ActivitySchedule['activity'],
    artifact: FoundArtifact,
  ): Promise<boolean> {
    const { records, artifacts } = this.#options.parts;
    const runs = await records.runs.list(organization, { activity, limit: MOST_RUNS });
    if (runs.some(({ generator, options }) => isAsNew(generator ?? options.input, artifact))) return true;
    const made = await latestArtifact(artifacts, { provider: organization, activity });
    const provenance = made && (await readProvenance(artifacts, made.key));
    return isAsNew(provenance?.generator, artifact);
  }
}

function isAsNew(generator: string | undefined, { activity, start }: FoundArtifact): boolean {
  const name = generator === undefined ? undefined : parseAvroKey(generator);
  return name !== undefined && name.activity === activity && name.start.getTime() >= start.getTime();
}
