import type { estypes } from '@elastic/elasticsearch';
import type { KeyRange } from '../../../core/key.ts';
import type { Resource, Tombstone } from '../../../core/resource.ts';
import type { SetId } from '../../../core/resource-set.ts';
import type { Stamp } from '../../../core/stamp.ts';
import { mapInOrder } from '../../../lib/calls/map-in-order.ts';
import { prefetchItems } from '../../../lib/calls/prefetch.ts';
import { BatchSize } from '../../../lib/elasticsearch/batch-size.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import type { RaisedKey, StampRange } from '../../change-log.ts';
import type { IndexNames } from '../index-names.ts';
import {
  keyOfSortKey,
  type ResourceDocument,
  resourceId,
  sortKeyEnd,
  sortKeyOf,
  toResource,
} from '../resource-documents.ts';
import { inAscii, justBelow, type OrderRange, searchWithin } from './order-range.ts';

/** Documents of one search: three megabytes of JSON, parsed in some 15 ms. */
const PER_SEARCH = 5_000;
/** Concurrent searches: Elasticsearch uses a core for each. */
const SEARCHES = 2;
/** Sample keys of one search. */
const SAMPLE_KEYS = 1_000;

/** The fields of a resource or tombstone that a survey counts. */
export interface SurveyRow {
  readonly order: string;
  readonly stamp: Stamp;
  readonly weight: number;
  readonly live: boolean;
}

/** Orders from `gte` (inclusive) to `lt` (exclusive). */
interface Bounds {
  readonly gte: string;
  readonly lt: string;
}

type Filter = estypes.QueryDslQueryContainer;
/** The sort values of a survey. */
type SurveySort = [order: string, stamp: Stamp, weight: number];

type RaisedDocument = Required<Pick<ResourceDocument, 'set' | 'order' | 'event_order' | 'raised'>>;

/** The weight of a tombstone in a survey, whose document has none. */
const NO_WEIGHT = -1;

/**
 * Reads ranges of keys in key order. One key in 4,096, chosen by its hash, is a sample key. A long range is cut at
 * sample keys, so that reading the keys between two of them takes the same time everywhere. (A sorted search from a key
 * on visits all documents above it, again for each batch. So does a composite aggregation, unless the index has a
 * single set; it also needs ordinals, which every refresh invalidates.)
 */
export class ResourceReader {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  /**
   * Yields live resources, or with `tombstones` every key that ever existed, in batches. The next batch is read while
   * one is used.
   */
  read(set: SetId, range: KeyRange & { tombstones?: false }): AsyncIterable<readonly Resource[]>;
  read(set: SetId, range: KeyRange & { tombstones?: boolean }): AsyncIterable<readonly (Resource | Tombstone)[]>;
  async *read(
    set: SetId,
    range: KeyRange & { readonly tombstones?: boolean },
  ): AsyncIterable<readonly (Resource | Tombstone)[]> {
    const filter = range.tombstones ? [] : [{ term: { doc_type: 'resource' } }];
    const batches = new BatchSize(PER_SEARCH);
    yield* prefetchItems(this.#walk(boundsOf(set, range), (bounds) => this.#resources(bounds, batches, filter)));
  }

  /** Cuts a range of keys into pieces of 4,096 keys on average. */
  pieces(set: SetId, range: KeyRange): AsyncIterable<Bounds> {
    return this.#pieces(boundsOf(set, range));
  }

  /**
   * The stamps of resources by their orders. Reads only sort values, as a survey does: getting the documents takes four
   * times as long.
   */
  async stamps(orders: readonly string[]): Promise<ReadonlyMap<string, Stamp>> {
    const stamps = new Map<string, Stamp>();
    for (let at = 0; at < orders.length; at += PER_SEARCH) {
      const values = orders.slice(at, at + PER_SEARCH).map(resourceId);
      const hits = await this.#cluster.hits({
        index: this.#names.resources,
        query: { ids: { values } },
        sort: [{ order: 'asc' }, { stamp: 'asc' }],
        size: values.length,
        _source: false,
        stored_fields: '_none_',
      });
      for (const { sort } of hits) {
        const [order, stamp] = sort as [string, Stamp];
        stamps.set(order, stamp);
      }
    }
    return stamps;
  }

  /** Yields keys whose order rose without a change, by the stamp at which it rose. */
  async *raisedOrders({ after, until }: StampRange): AsyncIterable<readonly RaisedKey[]> {
    const batches = new BatchSize(PER_SEARCH);
    for (let last = after; ; ) {
      const query = { range: { raised: { gt: last, ...(until !== undefined && { lt: until }) } } };
      const _source = ['set', 'order', 'event_order', 'raised'];
      const search = (size: number) =>
        this.#cluster.search<RaisedDocument>({
          index: this.#names.resources,
          query,
          sort: [{ raised: 'asc' }],
          size,
          _source,
        });
      const { found, isFull } = await batches.ask(search);
      if (found.length > 0) yield found.map(toRaisedKey);
      if (!isFull) return;
      last = found.at(-1)!.raised;
    }
  }

  /** Yields the survey fields of every key that ever existed. */
  survey(set: SetId, range: KeyRange): AsyncIterable<readonly SurveyRow[]> {
    return prefetchItems(this.#walk(boundsOf(set, range), (bounds) => this.#rows(bounds)));
  }

  /** Reads the pieces of a range, some concurrently, and yields them in order. */
  #walk<Item>(bounds: Bounds, read: (piece: Bounds) => Promise<readonly Item[]>): AsyncIterable<readonly Item[]> {
    return mapInOrder(this.#pieces(bounds), SEARCHES, read);
  }

  /** Cuts a range at its sample keys: pieces of 4,096 keys on average. */
  async *#pieces({ gte, lt }: Bounds): AsyncIterable<Bounds> {
    let from = gte;
    for await (const { order } of this.#sampleKeys({ above: gte, below: lt })) {
      yield { gte: from, lt: order };
      from = order;
    }
    yield { gte: from, lt };
  }

  /** Yields sample keys in ascending order. */
  async *#sampleKeys({ above, below }: OrderRange): AsyncIterable<{ readonly order: string }> {
    for (let last = above; ; ) {
      const found = await this.#cluster.search<{ order: string }>({
        index: this.#names.resources,
        ...searchWithin({ above: last, below }, [{ term: { milestone: true } }]),
        size: SAMPLE_KEYS,
        _source: ['order'],
      });
      yield* within(found, below);
      if (found.length < SAMPLE_KEYS) return;
      last = found.at(-1)!.order;
      if (last >= below) return;
    }
  }

  /**
   * Converts documents when they arrive, not when they are yielded: until then, they would take three times as much
   * memory.
   */
  async #resources(bounds: Bounds, batches: BatchSize, filter: readonly Filter[]): Promise<(Resource | Tombstone)[]> {
    const resources: (Resource | Tombstone)[] = [];
    const search = (range: OrderRange, size: number) =>
      this.#cluster.search<ResourceDocument>({ index: this.#names.resources, ...searchWithin(range, filter), size });
    for await (const documents of everything(bounds, batches, search))
      resources.push(...documents.filter(({ stamp }) => stamp > 0).map(toResource));
    return resources;
  }

  /**
   * Reads only sort values, for which Elasticsearch does not load documents: that makes the search five times
   * faster.
   */
  async #rows(bounds: Bounds): Promise<SurveyRow[]> {
    const rows: SurveyRow[] = [];
    const search = async (range: OrderRange, size: number) => {
      const hits = await this.#cluster.hits({
        index: this.#names.resources,
        ...searchWithin(range),
        sort: [{ order: 'asc' }, { stamp: 'asc' }, { weight: { order: 'asc', missing: NO_WEIGHT } }],
        search_after: [range.above, Number.MAX_SAFE_INTEGER, NO_WEIGHT],
        size,
        _source: false,
        stored_fields: '_none_',
      });
      return hits.map(({ sort }) => toRow(sort as SurveySort));
    };
    for await (const found of everything(bounds, new BatchSize(PER_SEARCH), search)) rows.push(...found);
    return rows;
  }
}

/** Repeats a search above the last result, to the end of the bounds. */
async function* everything<Item extends { readonly order: string }>(
  { gte, lt: below }: Bounds,
  batches: BatchSize,
  search: (range: OrderRange, size: number) => Promise<readonly Item[]>,
): AsyncIterable<readonly Item[]> {
  for (let above = justBelow(gte); ; ) {
    const { found, isFull } = await batches.ask((size) => search({ above, below }, size));
    yield within(found, below);
    const last = found.at(-1)?.order;
    if (!isFull || last === undefined || last >= below) return;
    above = last;
  }
}

function within<Item extends { readonly order: string }>(found: readonly Item[], below: string): readonly Item[] {
  return found.filter(({ order }) => order < below);
}

function boundsOf(set: SetId, { from, to }: KeyRange): Bounds {
  return { gte: sortKeyOf(set, inAscii(from ?? '')), lt: to === undefined ? sortKeyEnd(set) : sortKeyOf(set, to) };
}

function toRow([order, stamp, weight]: SurveySort): SurveyRow {
  const live = weight !== NO_WEIGHT;
  return { order, stamp, weight: live ? weight : 0, live };
}

function toRaisedKey({ set, order: sortKey, event_order: order, raised: stamp }: RaisedDocument): RaisedKey {
  return { set, key: keyOfSortKey(sortKey), order, stamp };
}
