import { readingsOf } from '../../../artifacts/keys/stream-keys.ts';
import type { ResourceSet, SetId } from '../../../core/resource-set.ts';
import type { Organization } from '../../../records/organization.ts';
import type { Catalog } from '../../../stores/catalog.ts';

/** Looks up organizations and their sets, as they are now. */
export class DefaultStreams {
  readonly #catalog: Pick<Catalog, 'get'>;
  readonly #listSets: () => Promise<readonly Pick<ResourceSet, 'id' | 'slug'>[]>;

  constructor(catalog: Pick<Catalog, 'get'>, listSets: () => Promise<readonly Pick<ResourceSet, 'id' | 'slug'>[]>) {
    this.#catalog = catalog;
    this.#listSets = listSets;
  }

  /** The default stream; undefined while the organization has none. */
  async defaultOf(organization: string): Promise<string | undefined> {
    return (await this.#catalog.get<Organization>('organization', organization))?.body.defaultStream;
  }

  /** The folders of the records of streams that are being removed. */
  async leavingOf(organization: string): Promise<readonly string[]> {
    const found = await this.#catalog.get<Organization>('organization', organization);
    const leaving = (found?.body.streams ?? []).filter(({ removing }) => removing !== undefined);
    return leaving.map(({ id: stream }) => readingsOf({ organization, stream }));
  }

  /** The id of a set; undefined while no set has this name. */
  async setOf(slug: string): Promise<SetId | undefined> {
    return (await this.#listSets()).find((set) => set.slug === slug)?.id;
  }
}
