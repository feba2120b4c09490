import { randomUUID } from 'node:crypto';
import { TidemarkError, unlessConflict } from '../../core/errors.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import {
  HARVEST_RUN_KIND,
  type HarvestRun,
  harvestId,
  harvestsOf,
  harvestText,
  isOpenHarvest,
  type NamedHarvest,
} from './harvest-run.ts';

type RunCatalog = Pick<Catalog, 'get' | 'put' | 'latest'>;
type NewRun = Omit<HarvestRun, keyof NamedHarvest | 'added' | 'token' | 'lists' | 'uuid'> & Partial<HarvestRun>;

/** Runs among which open ones are searched, and those with a uuid: they are among the last. */
export const MOST_SEARCHED = 200;

/** The document of a run, for the one attempt that changes it. Another attempt makes the changes of this one fail. */
export class HarvestRecord {
  readonly #catalog: Pick<Catalog, 'get' | 'put'>;
  #stored: CatalogDocument<HarvestRun>;
  /** One change at a time: each replaces the version of the one before. */
  #last: Promise<void> = Promise.resolve();

  private constructor(catalog: Pick<Catalog, 'get' | 'put'>, stored: CatalogDocument<HarvestRun>) {
    this.#catalog = catalog;
    this.#stored = stored;
  }

  /**
   * Records a new run under the next number of its collection.
   * @param runOf returns the run for its number
   * @param uuid if one of the last runs has it, the request is a repeated one, and that run is returned
   * @param admit called with the runs that have not ended, before each attempt; what it throws is thrown
   */
  static async add(
    catalog: RunCatalog,
    collection: string,
    {
      runOf,
      admit,
      uuid,
    }: { runOf(name: NamedHarvest): NewRun; admit?(open: readonly HarvestRun[]): void; uuid?: string | undefined },
  ): Promise<HarvestRecord> {
    const token = randomUUID();
    for (;;) {
      const latest = await latestHarvests(catalog, collection, MOST_SEARCHED);
      const same = uuid === undefined ? undefined : latest.find((run) => run.uuid === uuid);
      if (same !== undefined) return HarvestRecord.open(catalog, same);
      admit?.(latest.filter(isOpenHarvest));
      const named = { collection, number: (latest[0]?.number ?? 0) + 1 };
      const added = Math.max(Date.now(), (latest[0]?.added ?? 0) + 1);
      const body: HarvestRun = { uuid: randomUUID(), lists: [], ...runOf(named), ...named, added, token };
      await unlessConflict(catalog.put(HARVEST_RUN_KIND, harvestId(named), body, undefined));
      // A conflict may be that of an earlier request for this run, whose response was lost.
      const stored = await catalog.get<HarvestRun>(HARVEST_RUN_KIND, harvestId(named));
      if (stored?.body.token === token) return new HarvestRecord(catalog, stored);
    }
  }

  /** @throws TidemarkError `not-found` */
  static async open(catalog: Pick<Catalog, 'get' | 'put'>, name: NamedHarvest): Promise<HarvestRecord> {
    const stored = await catalog.get<HarvestRun>(HARVEST_RUN_KIND, harvestId(name));
    if (stored !== undefined) return new HarvestRecord(catalog, stored);
    throw new TidemarkError('not-found', `there is no run ${harvestText(name)}`, { run: harvestText(name) });
  }

  get run(): HarvestRun {
    return this.#stored.body;
  }

  /** Reads the document again, with what another process has changed. */
  async reread(): Promise<void> {
    this.#stored = (await this.#catalog.get<HarvestRun>(HARVEST_RUN_KIND, this.#stored.id)) ?? this.#stored;
  }

  /** Makes this attempt the only one that can change the run. @throws as `update` */
  claim(changes: Partial<HarvestRun>): Promise<void> {
    return this.update({ ...changes, token: randomUUID() });
  }

  /**
   * @param changes an undefined field is removed
   * @throws TidemarkError `conflict` when another process has changed it
   */
  update(changes: { readonly [Name in keyof HarvestRun]?: HarvestRun[Name] | undefined }): Promise<void> {
    const put = async () => {
      const { id, version, body } = this.#stored;
      const changed = { ...body, ...changes } as HarvestRun;
      this.#stored = { id, body: changed, version: await this.#catalog.put(HARVEST_RUN_KIND, id, changed, version) };
    };
    this.#last = this.#last.then(put, put);
    return this.#last;
  }
}

/** The last runs of a collection, the newest first. */
export async function latestHarvests(
  catalog: Pick<Catalog, 'latest'>,
  collection: string,
  limit: number,
  before?: number,
): Promise<readonly HarvestRun[]> {
  const page = { limit, ...(before !== undefined && { before: harvestId({ collection, number: before }) }) };
  return (await catalog.latest<HarvestRun>(HARVEST_RUN_KIND, harvestsOf(collection), page)).map(({ body }) => body);
}
