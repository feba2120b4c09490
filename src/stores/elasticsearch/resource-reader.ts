import { ahead } from '../../domain/ahead.ts';
import type { KeyRange } from '../../domain/key.ts';
import type { Resource, Tombstone } from '../../domain/resource.ts';
import type { SetId } from '../../domain/resource-set.ts';
import type { Stamp } from '../../domain/stamp.ts';
import type { Cluster } from './cluster.ts';
import { orderEnd, orderOf, type ResourceDocument, toResource } from './documents.ts';
import type { IndexNames } from './schema.ts';

/** Documents of one search: three megabytes of JSON, parsed in some 15 ms. */
const PER_SEARCH = 5_000;
/** Documents that may have come into a piece since it was cut. */
const MORE = 1_000;
/** Searches at a time: Elasticsearch uses a core for each. */
const SEARCHES = 2;
/** Buckets of one aggregation; a cluster allows 65,536. */
const PER_AGGREGATION = 10_000;

/** A resource or tombstone as a survey counts it. */
export interface SurveyRow {
  readonly order: string;
  readonly stamp: Stamp;
  readonly weight: number;
  readonly live: boolean;
}

interface Range {
  readonly gte?: string;
  readonly gt?: string;
  readonly lt?: string;
  readonly lte?: string;
}

interface Bucket {
  readonly key: { readonly order: string };
  readonly stamp: { readonly value: Stamp };
  /** Tombstones have no weight. */
  readonly weight: { readonly value: number | null };
}

interface Composite<Found> {
  readonly aggregations: {
    readonly orders: { readonly after_key?: { readonly order: string }; readonly buckets: readonly Found[] };
  };
}

/**
 * Reads ranges of keys in their order. A composite aggregation walks along the terms of `order`, which takes the same time everywhere in a set; a
 * sorted search from a key on looks at everything above it, for each batch anew.
 */
export class ResourceReader {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  /** Live resources, or with tombstones everything that ever was, in batches; the next is read while one is in use. */
  read(
    set: SetId,
    range: KeyRange & { readonly tombstones?: boolean },
  ): AsyncIterable<readonly (Resource | Tombstone)[]> {
    return ahead(this.#read(set, range));
  }

  /** What a survey needs of everything that ever was. */
  survey(set: SetId, range: KeyRange): AsyncIterable<readonly SurveyRow[]> {
    return ahead(this.#survey(set, range));
  }

  async *#read(set: SetId, range: KeyRange & { tombstones?: boolean }) {
    const filter = range.tombstones ? [] : [{ term: { doc_type: 'resource' } }];
    const underWay: Promise<readonly (Resource | Tombstone)[]>[] = [];
    for await (const piece of ahead(this.#pieces(orderRange(set, range)))) {
      const documents = this.#documents(piece, filter);
      documents.catch(() => {});
      underWay.push(documents);
      if (underWay.length >= SEARCHES) yield await underWay.shift()!;
    }
    for (const documents of underWay) yield await documents;
  }

  async #documents(piece: Range, filter: readonly object[]): Promise<readonly (Resource | Tombstone)[]> {
    const query = { bool: { filter: [{ range: { order: piece } }, ...filter] } };
    const search = { query, size: PER_SEARCH + MORE };
    const documents = await this.#cluster.search<ResourceDocument>(this.#names.resources, search);
    if (documents.length === search.size) return this.#recut(piece, filter);
    // Having Elasticsearch sort them would take a fifth longer.
    documents.sort((a, b) => (a.order < b.order ? -1 : 1));
    return documents.map(toResource);
  }

  /** More have come into a piece than one search tells of: it would leave out some that were there before. */
  async #recut(piece: Range, filter: readonly object[]): Promise<readonly (Resource | Tombstone)[]> {
    const documents: (Resource | Tombstone)[] = [];
    for await (const part of this.#pieces(piece)) documents.push(...(await this.#documents(part, filter)));
    return documents;
  }

  /** Cuts a range into ranges of `PER_SEARCH` documents. */
  async *#pieces(range: Range): AsyncIterable<Range> {
    const { lt, lte, ...begin } = range;
    const end: Range = lt === undefined ? { lte: lte! } : { lt };
    for (let lower: Range = begin; ; ) {
      const { after_key, buckets } = await this.#composite<Bucket>({ ...lower, ...end }, { size: PER_SEARCH });
      if (buckets.length < PER_SEARCH) {
        if (buckets.length > 0) yield { ...lower, ...end };
        return;
      }
      yield { ...lower, lte: after_key!.order };
      lower = { gt: after_key!.order };
    }
  }

  async *#survey(set: SetId, range: KeyRange): AsyncIterable<readonly SurveyRow[]> {
    const aggs = { stamp: { max: { field: 'stamp' } }, weight: { max: { field: 'weight' } } };
    let orders = orderRange(set, range);
    for (;;) {
      const { after_key, buckets } = await this.#composite<Bucket>(orders, { size: PER_AGGREGATION, aggs });
      if (buckets.length > 0) yield buckets.map(toRow);
      if (buckets.length < PER_AGGREGATION) return;
      orders = { gt: after_key!.order, lt: orders.lt! };
    }
  }

  async #composite<Found>(orders: Range, { size, aggs }: { readonly size: number; readonly aggs?: object }) {
    const composite = { size, sources: [{ order: { terms: { field: 'order' } } }] };
    const { body } = await this.#cluster.ask<Composite<Found>>({
      method: 'POST',
      path: `/${this.#names.resources}/_search`,
      query: { allow_partial_search_results: false, request_cache: false },
      body: {
        size: 0,
        track_total_hits: false,
        query: { range: { order: orders } },
        aggs: { orders: { composite, ...(aggs !== undefined && { aggs }) } },
      },
    });
    return body.aggregations.orders;
  }
}

function orderRange(set: SetId, { from, to }: KeyRange): Range {
  return { gte: orderOf(set, from ?? ''), lt: to === undefined ? orderEnd(set) : orderOf(set, to) };
}

function toRow({ key, stamp, weight }: Bucket): SurveyRow {
  return { order: key.order, stamp: stamp.value, weight: weight.value ?? 0, live: weight.value !== null };
}
