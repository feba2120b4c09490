import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { Organization } from '../../streams/organization.ts';

/** What sources ask about organizations and their sets, as of now. */
export class DefaultStreams {
  readonly #catalog: Pick<Catalog, 'get'>;
  readonly #listSets: () => Promise<readonly Pick<ResourceSet, 'id' | 'slug'>[]>;

  constructor(catalog: Pick<Catalog, 'get'>, listSets: () => Promise<readonly Pick<ResourceSet, 'id' | 'slug'>[]>) {
    this.#catalog = catalog;
    this.#listSets = listSets;
  }

  /** Undefined as long as the organization has no stream. */
  async defaultOf(organization: string): Promise<string | undefined> {
    return (await this.#catalog.get<Organization>('organization', organization))?.body.defaultStream;
  }

  /** Undefined as long as it was not made. */
  async setOf(slug: string): Promise<SetId | undefined> {
    return (await this.#listSets()).find((set) => set.slug === slug)?.id;
  }
}
