import { setTimeout as wait } from 'node:timers/promises';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { type FoundArtifact, latestArtifact } from '../artifacts/find-artifacts.ts';
import type { Activity } from '../artifacts/keys/activity.ts';
import { parseAvroKey } from '../artifacts/keys/avro-key.ts';
import { readProvenance } from '../artifacts/provenance.ts';
import { formatTimestamp } from '../artifacts/timestamp.ts';
import type { Stamp } from '../core/stamp.ts';
import type { RunOptionsGiven } from '../records/activities/run-request.ts';
import type { ActivitySchedule } from '../records/activities/schedules.ts';
import { parsePosition, type StreamPosition } from '../records/activities/stream-input.ts';
import type { Records } from '../records/open-records.ts';
import type { Organization } from '../records/organization.ts';
import { isOpenRun } from '../records/runs/activity-run.ts';
import type { RunOfJob } from '../records/runs/activity-runner.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { jobOf } from './job-definition.ts';
import { runActivityJob } from './kinds/run-activity.ts';

interface ChainParts {
  readonly records: Pick<Records, 'organizations' | 'runs' | 'streamReader'>;
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
 * whichever program has written it; and harvests of a stream that has changed since the last one. Any number of
 * processes may do so, since the id of the job contains the time of the artifact, or of the change. What was tried is
 * not tried again: a run that failed or was stopped ends the chain there.
 */
export class ActivityChains {
  readonly #options: ChainOptions;
  readonly #stopping = new AbortController();
  /** By schedule: the key of the artifact, or the last change of the stream, for which everything is done. */
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
        if (schedule.after === 'stream') await this.#followStream(organization, schedule);
        else if (schedule.after !== undefined) await this.#follow(organization, schedule, schedule.after);
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
    after: Activity,
  ): Promise<void> {
    const { artifacts } = this.#options.parts;
    const newest = await latestArtifact(artifacts, { provider: organization, activity: after });
    const name = `${organization}/${activity}/${since}`;
    if (newest === undefined || this.#done.get(name) === newest.key) return;
    if (!(await this.#wasRead(organization, activity, newest))) {
      const run = { organization, activity, options: { ...options, input: newest.key } };
      await this.#add(run, after, formatTimestamp(newest.start));
    }
    this.#done.set(name, newest.key);
  }

  /** While a harvest is open, or an upload is being applied, this does nothing: the next poll decides. */
  async #followStream(
    { id: organization }: Organization,
    { activity, options, since }: ActivitySchedule,
  ): Promise<void> {
    const { streamReader, runs } = this.#options.parts.records;
    const found = await streamReader.lastChange(options.from!);
    const name = `${organization}/${activity}/${since}`;
    if (found === undefined || found.lastChange === 0 || this.#done.get(name) === String(found.lastChange)) return;
    const { lastChange, ...stream } = found;
    const past = await runs.list(organization, { activity, limit: MOST_RUNS });
    if (past.some(isOpenRun)) return;
    if (!past.some(({ generator }) => hasRead(generator, stream, lastChange))) {
      if (await streamReader.isChanging(stream)) return;
      await this.#add({ organization, activity, options }, 'stream', String(lastChange));
    }
    this.#done.set(name, String(lastChange));
  }

  async #add(
    run: Pick<RunOfJob, 'organization' | 'activity'> & { readonly options: RunOptionsGiven },
    after: string,
    time: string,
  ): Promise<void> {
    const id = `${run.organization}~${run.activity}.after.${after}.${time}`;
    const job = jobOf(runActivityJob, { id, payload: { ...run, trigger: { by: 'chain', after } } });
    await this.#options.parts.jobs.queue.addAll([job]);
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

/** Whether a run has read a stream up to a change. */
function hasRead(
  generator = '',
  { organization, stream }: Pick<StreamPosition, 'organization' | 'stream'>,
  lastChange: Stamp,
): boolean {
  const read = parsePosition(generator);
  return read?.organization === organization && read.stream === stream && read.until > lastChange;
}

function isAsNew(generator: string | undefined, { activity, start }: FoundArtifact): boolean {
  const name = generator === undefined ? undefined : parseAvroKey(generator);
  return name !== undefined && name.activity === activity && name.start.getTime() >= start.getTime();
}
