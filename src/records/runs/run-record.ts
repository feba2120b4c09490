import { randomUUID } from 'node:crypto';
import { unlessConflict } from '../../core/errors.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import type { PerformedRun } from '../activities/perform-run.ts';
import type { RunSummary } from '../activities/run-summary.ts';
import { ensureProvider } from '../provider.ts';
import { type ActivityRun, type NamedRun, RUN_KIND, runId, runsOf } from './activity-run.ts';

type RunCatalog = Pick<Catalog, 'get' | 'put' | 'latest'>;
type NewRun = Omit<ActivityRun, keyof NamedRun | 'added' | 'token'>;

/** The document of a run, for the one attempt that changes it. Another attempt makes the changes of this one fail. */
export class RunRecord {
  readonly #catalog: Pick<Catalog, 'get' | 'put'>;
  #stored: CatalogDocument<ActivityRun>;
  /** One change at a time: each replaces the version of the one before. */
  #last: Promise<void> = Promise.resolve();

  private constructor(catalog: Pick<Catalog, 'get' | 'put'>, stored: CatalogDocument<ActivityRun>) {
    this.#catalog = catalog;
    this.#stored = stored;
  }

  /**
   * Records a new run under the next number of its activity, and makes the document of its provider if there is none.
   * @param runOf returns the run for its number
   */
  static async add(
    catalog: RunCatalog,
    name: Pick<NamedRun, 'organization' | 'activity'>,
    runOf: (name: NamedRun) => NewRun,
  ): Promise<RunRecord> {
    await ensureProvider(catalog, name.organization);
    const token = randomUUID();
    for (;;) {
      const prefix = runsOf(name.organization, name.activity);
      const [last] = await catalog.latest<ActivityRun>(RUN_KIND, prefix, { limit: 1 });
      const named = { ...name, number: (last?.body.number ?? 0) + 1 };
      const added = Math.max(Date.now(), (last?.body.added ?? 0) + 1);
      const body: ActivityRun = { ...named, ...runOf(named), added, token };
      await unlessConflict(catalog.put(RUN_KIND, runId(named), body, undefined));
      // A conflict may be that of an earlier request for this run, whose response was lost.
      const stored = await catalog.get<ActivityRun>(RUN_KIND, runId(named));
      if (stored?.body.token === token) return new RunRecord(catalog, stored);
    }
  }

  /** Reads the document of a run; undefined when there is none. */
  static async open(catalog: Pick<Catalog, 'get' | 'put'>, name: NamedRun): Promise<RunRecord | undefined> {
    const stored = await catalog.get<ActivityRun>(RUN_KIND, runId(name));
    return stored && new RunRecord(catalog, stored);
  }

  get run(): ActivityRun {
    return this.#stored.body;
  }

  /** Reads the document again, to change it whatever another process has changed. */
  async reread(): Promise<void> {
    this.#stored = (await this.#catalog.get<ActivityRun>(RUN_KIND, this.#stored.id)) ?? this.#stored;
  }

  /** @throws TidemarkError `conflict` when another process has changed it */
  update(changes: Partial<ActivityRun>): Promise<void> {
    const put = async () => {
      const { id, version, body } = this.#stored;
      const changed = { ...body, ...changes };
      this.#stored = { id, body: changed, version: await this.#catalog.put(RUN_KIND, id, changed, version) };
    };
    this.#last = this.#last.then(put, put);
    return this.#last;
  }

  /** Records what a run did. @throws as `update` */
  end({ outcome: { summary }, plan }: PerformedRun): Promise<void> {
    return this.endWith(summary, plan);
  }

  endWith(summary: RunSummary, plan: PerformedRun['plan'] = this.run.plan): Promise<void> {
    const state = summary.published ? 'succeeded' : 'stopped';
    return this.update({ state, ended: Date.now(), summary, plan, failure: undefined });
  }

  /** @param failure a sentence without a full stop. @throws as `update` */
  fail(failure: string): Promise<void> {
    return this.update({ state: 'failed', ended: Date.now(), failure });
  }
}
