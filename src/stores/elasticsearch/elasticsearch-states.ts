import type { KeyRange, ResourceKey } from '../../core/key.ts';
import { parseKeySearch } from '../../core/key-search.ts';
import { encodeState, type Resource, type Tombstone } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { EncodedResource, FoundResources, Limits, ResourceStates, Search, Survey } from '../resource-states.ts';
import { PieceCutter } from '../survey.ts';
import type { CurrentStateReader } from './current-state-reader.ts';
import type { IndexNames } from './index-names.ts';
import { keyOfSortKey, type ResourceDocument, resourceId, sortKeyOf, toResource } from './resource-documents.ts';
import type { KeyFinder } from './search/elasticsearch-key-finder.ts';
import type { ResourceReader } from './search/resource-reader.ts';
import { StatesBefore } from './states-before.ts';
import type { Visibility } from './visibility.ts';

interface Parts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly visibility: Visibility;
  readonly currentStates: CurrentStateReader;
  readonly resources: ResourceReader;
  readonly finder: KeyFinder;
}

export class ElasticsearchStates implements ResourceStates {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  read(set: SetId, range: KeyRange & { tombstones?: false }): AsyncIterable<readonly Resource[]>;
  read(set: SetId, range: KeyRange & { tombstones: true }): AsyncIterable<readonly (Resource | Tombstone)[]>;
  async *read(
    set: SetId,
    range: KeyRange & { tombstones?: boolean },
  ): AsyncIterable<readonly (Resource | Tombstone)[]> {
    await this.#parts.visibility.settledFor(set);
    yield* this.#parts.resources.read(set, range);
  }

  async *states(set: SetId): AsyncIterable<readonly EncodedResource[]> {
    for await (const resources of this.read(set, {})) {
      yield resources.map(({ key, state }) => ({ key, state: encodeState(state) }));
    }
  }

  async lookup(set: SetId, keys: readonly ResourceKey[]): Promise<readonly (Resource | Tombstone | undefined)[]> {
    const { names, visibility, currentStates } = this.#parts;
    await visibility.appliedFor(set);
    const ids = keys.map((key) => resourceId(sortKeyOf(set, key)));
    const documents = await currentStates.get<ResourceDocument>(names.resources, ids);
    return documents.map((document) => (document && document.stamp > 0 ? toResource(document) : undefined));
  }

  async lastChanges(set: SetId, keys: readonly ResourceKey[]): Promise<readonly Stamp[]> {
    await this.#parts.visibility.settledFor(set);
    const orders = keys.map((key) => sortKeyOf(set, key));
    const stamps = await this.#parts.resources.stamps(orders);
    return orders.map((order) => stamps.get(order) ?? 0);
  }

  async find(set: SetId, search: Search): Promise<FoundResources> {
    const found = parseKeySearch(search.part);
    await this.#parts.visibility.settledFor(set);
    return this.#parts.finder.find(set, found, search);
  }

  async survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey> {
    const head = await this.#parts.visibility.settledFor(set);
    const former = new StatesBefore(this.#parts, head);
    const cutter = new PieceCutter(range.from, limits);
    for await (const rows of this.#parts.resources.survey(set, range)) {
      for (const row of rows) {
        // It has changed since: use its state at the head.
        const then = row.stamp > head.stamp ? await former.of(row.order) : row;
        if (then.stamp > 0)
          cutter.add({ key: keyOfSortKey(row.order), stamp: then.stamp, weight: then.weight, live: then.live });
      }
    }
    return { through: head.stamp + 1, pieces: cutter.pieces() };
  }
}
