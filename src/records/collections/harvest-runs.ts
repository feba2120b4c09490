import type { Readable } from 'node:stream';
import { TidemarkError } from '../../core/errors.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { Upload } from '../arrivals/upload.ts';
import type { Uploads } from '../arrivals/uploads.ts';
import type { ErrataPage } from '../errata/read-errata.ts';
import type { CollectionRegistry } from './collection-registry.ts';
import { HarvestRecord, latestHarvests, MOST_SEARCHED } from './harvest-record.ts';
import {
  HARVEST_RUN_KIND,
  type HarvestRequest,
  type HarvestRun,
  type HarvestTrigger,
  harvestId,
  harvestText,
  type NamedHarvest,
} from './harvest-run.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly collections: Pick<CollectionRegistry, 'get'>;
  readonly uploads: Pick<Uploads, 'get' | 'stateOf' | 'openErrata' | 'readErrata'>;
  /** The jobs that make runs. */
  readonly jobs: {
    nameOf(run: NamedHarvest): string;
    add(run: NamedHarvest): Promise<unknown>;
  };
}

interface HarvestPage {
  readonly limit: number;
  /** Only runs with lower numbers. */
  readonly before?: number | undefined;
}

/** The runs of collections, by all processes. */
export class HarvestRuns {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Records a run that a job makes, and adds the job. If the process is killed in between, another one adds it. It
   * waits until earlier runs of the collection have ended.
   * @throws TidemarkError `not-found`; `invalid`
   */
  async queue(collection: string, request: HarvestRequest, trigger: HarvestTrigger): Promise<HarvestRun> {
    const { catalog, jobs } = this.#parts;
    await this.#parts.collections.get(collection);
    await requireRequest(catalog, collection, request);
    const { run } = await HarvestRecord.add(catalog, collection, {
      uuid: request.uuid,
      runOf: (name) => ({ ...requested(request), trigger, state: 'waiting', job: jobs.nameOf(name) }),
    });
    await jobs.add(run);
    return run;
  }

  /** The runs of a collection, newest first. @throws TidemarkError `not-found` */
  async list(collection: string, { limit, before }: HarvestPage): Promise<readonly HarvestRun[]> {
    await this.#parts.collections.get(collection);
    return latestHarvests(this.#parts.catalog, collection, limit, before);
  }

  /** The run with a uuid, if it is one of the last runs of the collection. */
  async byUuid(collection: string, uuid: string): Promise<HarvestRun | undefined> {
    return (await latestHarvests(this.#parts.catalog, collection, MOST_SEARCHED)).find((run) => run.uuid === uuid);
  }

  /** @throws TidemarkError `not-found` */
  async get(name: NamedHarvest): Promise<HarvestRun> {
    return (await HarvestRecord.open(this.#parts.catalog, name)).run;
  }

  /** The upload of a run, with its files: the stored responses. Undefined for a run without one. */
  async uploadOf({ collection, upload }: HarvestRun): Promise<Upload | undefined> {
    if (upload === undefined) return undefined;
    const { provider } = await this.#parts.collections.get(collection);
    return this.#parts.uploads.get(provider, collection, upload);
  }

  /** Errata from an offset in bytes on. @throws as `readErrata` */
  async errata(run: HarvestRun, { at = 0, limit }: { at?: number; limit: number }): Promise<ErrataPage> {
    const upload = await this.uploadOf(run);
    if (upload === undefined) return { errata: run.outcome?.examples?.slice(0, limit) ?? [], next: undefined };
    const key = (await this.#parts.uploads.stateOf(upload))?.read?.errata;
    return key === undefined ? { errata: [], next: undefined } : this.#parts.uploads.readErrata(key, { at, limit });
  }

  /** All errata, as lines of JSON; undefined when there are none, or none yet. @throws as `ArtifactStore.get` */
  async openErrata(run: HarvestRun): Promise<Readable | undefined> {
    const upload = await this.uploadOf(run);
    const state = upload && (await this.#parts.uploads.stateOf(upload));
    return state?.read === undefined ? undefined : this.#parts.uploads.openErrata(upload!, state);
  }
}

/** The fields of a run that was requested. */
export function requested({
  kind,
  force,
  of,
  uuid,
  sets,
  from,
  pieces,
}: HarvestRequest): Pick<HarvestRun, 'kind'> & Partial<HarvestRun> {
  return {
    kind,
    ...(force && { force }),
    ...(of !== undefined && { of }),
    ...(uuid !== undefined && uuid !== '' && { uuid: uuid.slice(0, 200) }),
    ...(sets !== undefined && { sets }),
    ...(from !== undefined && { from }),
    ...(pieces !== undefined && { pieces }),
  };
}

/** @throws TidemarkError `invalid`; `not-found` */
export async function requireRequest(
  catalog: Pick<Catalog, 'get'>,
  collection: string,
  { kind, of }: HarvestRequest,
): Promise<void> {
  if ((kind === 'again') !== (of !== undefined)) {
    throw new TidemarkError('invalid', 'name the run whose responses are to be read again', { field: 'of' });
  }
  if (of === undefined) return;
  const name = { collection, number: of };
  const found = (await catalog.get<HarvestRun>(HARVEST_RUN_KIND, harvestId(name)))?.body;
  if (found === undefined) throw new TidemarkError('not-found', `there is no run ${harvestText(name)}`);
  if (found.upload !== undefined && found.kind !== 'again') return;
  const message = `the run ${harvestText(name)} has no stored responses of its own: name one that has harvested records`;
  throw new TidemarkError('invalid', message, { field: 'of' });
}

/** @throws TidemarkError `conflict` */
export function requireNoneOpen([open]: readonly HarvestRun[]): void {
  if (open === undefined) return;
  const who = open.job === undefined ? `the process ${open.beat?.worker}` : `the job ${open.job}`;
  const message = `the run ${harvestText(open)} has not ended yet (${who}): wait for it, or add one behind it with --queue`;
  throw new TidemarkError('conflict', message, { run: harvestText(open) });
}
