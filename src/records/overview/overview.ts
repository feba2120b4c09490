import type { SetRegistry } from '../../sets/set-registry.ts';
import { summarize } from '../../sets/summarized-sets.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import type { Organization } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import { setOfStream } from '../stream-set-names.ts';
import { DAYS, type Deliveries, DeliveryFigures } from './delivery-figures.ts';

/** The state of one organization. */
export interface OrganizationFigures extends Deliveries {
  readonly organization: Organization;
  /** Number of live records of its default stream and of its collections. */
  readonly records: number;
}

interface OverviewParts {
  readonly catalog: Pick<Catalog, 'head' | 'list'>;
  readonly sets: Pick<SetRegistry, 'list'>;
  readonly index: Pick<SetStatistics, 'summaries'>;
  readonly organizations: Pick<OrganizationRegistry, 'list'>;
}

const NOTHING: Deliveries = {
  lastUpload: undefined,
  failed: 0,
  waiting: 0,
  bytes: 0,
  days: Array.from({ length: DAYS }, () => 0),
  lastFull: undefined,
  lastDelta: undefined,
};

/** The state of all organizations, for those who manage them. */
export class Overview {
  readonly #parts: OverviewParts;
  readonly #deliveries: DeliveryFigures;

  constructor(parts: OverviewParts) {
    this.#parts = parts;
    this.#deliveries = new DeliveryFigures(parts.catalog);
  }

  /**
   * Ascending by id.
   * @param isShown which organizations the reader may manage; the others cost nothing
   * @throws TidemarkError `unavailable`
   */
  async read(isShown: (organization: Organization) => boolean = () => true): Promise<readonly OrganizationFigures[]> {
    const [all, deliveries] = await Promise.all([this.#parts.organizations.list(), this.#deliveries.read(Date.now())]);
    const shown = all.filter(isShown);
    const records = await this.#recordsOf(shown);
    return shown.map((organization) => ({
      ...(deliveries.get(organization.id) ?? NOTHING),
      organization,
      records: records.get(organization.id) ?? 0,
    }));
  }

  /** Reads what each process reads once: the first `read` need not wait for it. @throws TidemarkError `unavailable` */
  async prepare(): Promise<void> {
    await this.#deliveries.read(Date.now());
  }

  async #recordsOf(organizations: readonly Organization[]): Promise<ReadonlyMap<string, number>> {
    const ownerOf = new Map(organizations.flatMap((one) => setsOf(one).map((set) => [set, one.id] as const)));
    const sets = (await this.#parts.sets.list()).filter(({ slug }) => ownerOf.has(slug));
    const counts = new Map<string, number>();
    for (const { set, summary } of await summarize(this.#parts.index, sets)) {
      const owner = ownerOf.get(set.slug)!;
      counts.set(owner, (counts.get(owner) ?? 0) + summary.resources);
    }
    return counts;
  }
}

/** The sets whose records are those of an organization: the default stream's, and those of its collections. */
function setsOf({ id, defaultStream, streams }: Organization): readonly string[] {
  const ofCollections = streams.flatMap(({ set }) => (set === undefined ? [] : [set]));
  return defaultStream === undefined ? ofCollections : [setOfStream({ organization: id }, 'records'), ...ofCollections];
}
