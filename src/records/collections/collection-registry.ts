import { TidemarkError, unlessConflict } from '../../core/errors.ts';
import { nearestName } from '../../lib/nearest-name.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import type { DescribedRepository } from '../arrivals/oai-harvest/describe-repository.ts';
import { notFound, requireCollectionId } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import {
  COLLECTION_KIND,
  type Collection,
  type CollectionChanges,
  type CollectionFields,
  type NewCollection,
} from './collection.ts';
import { checkedCollection } from './collection-fields.ts';
import { requireHarvestable } from './require-harvestable.ts';
import { requireUsableTransform } from './require-usable-transform.ts';

interface RegistryParts {
  readonly catalog: Pick<Catalog, 'get' | 'list' | 'put'>;
  readonly organizations: Pick<OrganizationRegistry, 'addCollectionStream' | 'changeStream'>;
  /** Asks a repository what it has. */
  describe(asked: Pick<CollectionFields, 'baseUrl' | 'sets'>, signal?: AbortSignal): Promise<DescribedRepository>;
}

/** Manages collections in the catalog, with their streams. Each call reads what other processes have written. */
export class CollectionRegistry {
  readonly #parts: RegistryParts;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  /**
   * Asks the repository, and makes the collection with its stream and its sets.
   * @throws TidemarkError `invalid` when a value is wrong, the file of a transform cannot be used, or the repository
   *   does not answer, or has no such format or set: the message has the names that exist; `conflict` when there is one
   *   with this id or handle, or another set has the id of one of its sets
   */
  async add(id: string, { provider = id, ...given }: NewCollection): Promise<Collection> {
    requireCollectionId(id);
    const fields = checkedCollection(given);
    const before = await this.#read(id);
    if (before !== undefined && before.body.removed === undefined) throw taken(id);
    if (before !== undefined && before.body.provider !== provider) throw otherProvider(before.body, provider);
    await this.#requireFreeHandle(id, fields.handle);
    await requireUsableTransform(fields.transform);
    const repository = await this.#ask(fields);
    // Also when a process was killed after this, or the collection was removed: then it has the stream already.
    await this.#parts.organizations.addCollectionStream(provider, id, { title: fields.title });
    const created = Date.now();
    const collection: Collection = { id, provider, ...fields, created, scheduledSince: created, repository };
    const put = await unlessConflict(this.#parts.catalog.put(COLLECTION_KIND, id, collection, before?.version));
    if (put === undefined) throw taken(id);
    return collection;
  }

  /**
   * Changes a collection. The repository is asked when its address, the format or the sets change.
   * @throws TidemarkError `not-found`; as `add`
   */
  async change(id: string, changes: CollectionChanges): Promise<Collection> {
    const { version, body: before } = await this.#require(id);
    const fields = checkedCollection({ ...before, ...defined(changes) });
    await this.#requireFreeHandle(id, fields.handle);
    if (before.transform !== fields.transform) await requireUsableTransform(fields.transform);
    const isOther = (['baseUrl', 'format', 'sets'] as const).some((name) => !isSame(before[name], fields[name]));
    const repository = isOther ? await this.#ask(fields) : before.repository;
    const isRescheduled = before.schedule !== fields.schedule || before.fullSchedule !== fields.fullSchedule;
    const { provider, created, scheduledSince } = before;
    const since = isRescheduled ? Date.now() : scheduledSince;
    const changed: Collection = { id, provider, ...fields, created, scheduledSince: since, repository };
    const put = await unlessConflict(this.#parts.catalog.put(COLLECTION_KIND, id, changed, version));
    if (put === undefined) return this.change(id, changes);
    const { title = '' } = changed;
    if (before.title !== changed.title) await this.#parts.organizations.changeStream(provider, id, { title });
    return changed;
  }

  /** Asks the repository again, and records what it says of itself. @throws TidemarkError `not-found`; as `add` */
  async refresh(id: string, signal?: AbortSignal): Promise<Collection> {
    const repository = await this.#ask((await this.#require(id)).body, signal);
    for (;;) {
      const { version, body } = await this.#require(id);
      const changed = { ...body, repository };
      if ((await unlessConflict(this.#parts.catalog.put(COLLECTION_KIND, id, changed, version))) !== undefined)
        return changed;
    }
  }

  /**
   * Ends the schedules of a collection, and archives its stream. Its records stay published: sets of organizations
   * exist as long as those. Adding it again goes on with them.
   * @throws TidemarkError `not-found`
   */
  async remove(id: string): Promise<void> {
    const { version, body } = await this.#require(id);
    const removed: Collection = { ...body, removed: Date.now() };
    const put = await unlessConflict(this.#parts.catalog.put(COLLECTION_KIND, id, removed, version));
    if (put === undefined) return this.remove(id);
    // A stream that is being removed takes no uploads anyway.
    await unlessConflict(this.#parts.organizations.changeStream(body.provider, id, { archived: true }));
  }

  /** @throws TidemarkError `not-found` */
  async get(id: string): Promise<Collection> {
    return (await this.#require(id)).body;
  }

  /** The provider of a collection, also of one that was removed. @throws TidemarkError `not-found` */
  async providerOf(id: string): Promise<string> {
    return ((await this.#read(id)) ?? (await this.#require(id))).body.provider;
  }

  /** All collections, ascending by id. */
  async list(): Promise<readonly Collection[]> {
    const documents = await this.#parts.catalog.list<Collection>(COLLECTION_KIND);
    return documents.flatMap(({ body }) => (body.removed === undefined ? [body] : []));
  }

  /** The collection of a handle of NSDL, if there is one. */
  async byHandle(handle: string): Promise<Collection | undefined> {
    return (await this.list()).find((collection) => collection.handle === handle);
  }

  async #ask(fields: CollectionFields, signal?: AbortSignal): Promise<Collection['repository']> {
    const described = await this.#parts.describe(fields, signal);
    requireHarvestable(fields, described);
    return described.description;
  }

  async #requireFreeHandle(id: string, handle: string | undefined): Promise<void> {
    const other = handle === undefined ? undefined : await this.byHandle(handle);
    if (other === undefined || other.id === id) return;
    throw new TidemarkError('conflict', `the collection ${other.id} has the handle ${handle} already`, {
      field: 'handle',
    });
  }

  #read(id: string): Promise<CatalogDocument<Collection> | undefined> {
    return this.#parts.catalog.get<Collection>(COLLECTION_KIND, id);
  }

  async #require(id: string): Promise<CatalogDocument<Collection>> {
    const found = await this.#read(id);
    if (found !== undefined && found.body.removed === undefined) return found;
    const known = (await this.list()).map((collection) => collection.id);
    const message = `there is no collection ${JSON.stringify(id.slice(0, 100))}`;
    throw notFound(message, nearestName(id, known), { collection: id });
  }
}

function defined(changes: CollectionChanges): CollectionChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function taken(id: string): TidemarkError {
  return new TidemarkError('conflict', `there is a collection "${id}" already`, { collection: id });
}

function otherProvider({ id, provider }: Collection, given: string): TidemarkError {
  const message = `the collection ${id} was one of ${provider} before it was removed, and cannot be one of ${given}: choose another id`;
  return new TidemarkError('conflict', message, { collection: id });
}
