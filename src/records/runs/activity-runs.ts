import type { Readable } from 'node:stream';
import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { type RunRequest, requireFitting } from '../activities/run-request.ts';
import { type ErrataPage, readErrata } from '../errata/read-errata.ts';
import { type ActivityRun, hasErrata, type NamedRun, type RunTrigger } from './activity-run.ts';
import { getRun, listRuns, type RunFilter } from './find-runs.ts';
import { RunRecord } from './run-record.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'get'>;
  /** The jobs that make runs. */
  readonly jobs: {
    nameOf(run: NamedRun): string;
    add(run: NamedRun): Promise<unknown>;
  };
}

/** The runs of activities, by all processes. */
export class ActivityRuns {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Records a run that a job makes, and adds the job. If the process is killed in between, another one adds it.
   * @throws TidemarkError `invalid`
   */
  async queue(request: RunRequest, trigger: RunTrigger): Promise<ActivityRun> {
    requireFitting(request);
    const { catalog, jobs } = this.#parts;
    const { provider: organization, activity, ...options } = request;
    const { run } = await RunRecord.add(catalog, { organization, activity }, (name) => ({
      state: 'waiting',
      options,
      trigger,
      job: jobs.nameOf(name),
    }));
    await jobs.add(run);
    return run;
  }

  /** The runs of an organization, those that were added last first. */
  list(organization: string, filter: RunFilter): Promise<readonly ActivityRun[]> {
    return listRuns(this.#parts.catalog, organization, filter);
  }

  /** @throws TidemarkError `not-found` */
  get(name: NamedRun): Promise<ActivityRun> {
    return getRun(this.#parts.catalog, name);
  }

  /** All errata, as lines of JSON; undefined when there are none, or none yet. @throws as `ArtifactStore.get` */
  async openErrata({ summary }: ActivityRun): Promise<Readable | undefined> {
    if (summary === undefined || !hasErrata(summary)) return undefined;
    return (await this.#parts.artifacts.get(formatKey({ kind: 'errata', of: summary.key }))).body;
  }

  /** Errata from an offset in bytes on. @throws as `readErrata` */
  async errata({ summary }: ActivityRun, { at = 0, limit }: { at?: number; limit: number }): Promise<ErrataPage> {
    if (summary === undefined || !hasErrata(summary)) return { errata: [], next: undefined };
    return readErrata(this.#parts.artifacts, formatKey({ kind: 'errata', of: summary.key }), { at, limit });
  }
}
