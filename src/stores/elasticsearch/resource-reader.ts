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
/** Searches at a time: Elasticsearch uses a core for each. */
const SEARCHES = 2;
/** Milestones of one search. */
const MILESTONES = 1_000;

/** A resource or tombstone as a survey counts it. */
export interface SurveyRow {
  readonly order: string;
  readonly stamp: Stamp;
  readonly weight: number;
  readonly live: boolean;
}

/** Orders from `gte` (inclusive) to `lt` (exclusive). */
export interface Bounds {
  readonly gte: string;
  readonly lt: string;
}

interface Filtered extends Bounds {
  readonly filter: readonly object[];
}

type SurveyHit = { readonly sort: readonly [order: string, stamp: Stamp, weight: number] };

/** What a survey sees in place of the weight that a tombstone does not have. */
const NO_WEIGHT = -1;

/**
 * Reads ranges of keys in their order. One key in 4,096, by its hash, is a milestone: a long range is cut at them, and what lies between two is
 * found in the same time everywhere. (A sorted search from a key on looks at everything above it, for each batch anew; a composite aggregation
 * does so too, unless it has the whole index to itself, and needs ordinals that every refresh throws away.)
 */
export class ResourceReader {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  /** Live resources, or with tombstones everything that ever was, in batches; the next is read while one is in use. */
  async *read(
    set: SetId,
    range: KeyRange & { readonly tombstones?: boolean },
  ): AsyncIterable<readonly (Resource | Tombstone)[]> {
    const filter = range.tombstones ? [] : [{ term: { doc_type: 'resource' } }];
    yield* ahead(this.#walk(boundsOf(set, range), (bounds) => this.#resources({ ...bounds, filter })));
  }

  /** A range of keys, cut into pieces of 4,096 on average. */
  pieces(set: SetId, range: KeyRange): AsyncIterable<Bounds> {
    return this.#pieces(boundsOf(set, range));
  }

  /** What a survey needs of everything that ever was. */
  survey(set: SetId, range: KeyRange): AsyncIterable<readonly SurveyRow[]> {
    return ahead(this.#walk(boundsOf(set, range), (bounds) => this.#rows(bounds)));
  }

  /** Reads the pieces of a range, some at a time, and gives them out in order. */
  async *#walk<Item>(
    bounds: Bounds,
    read: (piece: Bounds) => Promise<readonly Item[]>,
  ): AsyncIterable<readonly Item[]> {
    const underWay: Promise<readonly Item[]>[] = [];
    for await (const piece of this.#pieces(bounds)) {
      const items = read(piece);
      // Told when its turn comes.
      items.catch(() => {});
      underWay.push(items);
      if (underWay.length >= SEARCHES) yield await underWay.shift()!;
    }
    for (const items of underWay) yield await items;
  }

  /** Cuts a range at its milestones: pieces of 4,096 on average. */
  async *#pieces({ gte, lt }: Bounds): AsyncIterable<Bounds> {
    for (let from = gte; ; ) {
      const milestones = await this.#cluster.search<{ order: string }>(this.#names.resources, {
        query: { bool: { filter: [{ term: { milestone: true } }, { range: { order: { gt: from, lt } } }] } },
        sort: [{ order: 'asc' }],
        size: MILESTONES,
        _source: ['order'],
      });
      for (const { order } of milestones) {
        yield { gte: from, lt: order };
        from = order;
      }
      if (milestones.length === MILESTONES) continue;
      yield { gte: from, lt };
      return;
    }
  }

  /** Documents are made resources as they come, not when it is their turn: until then, they would take three times as much memory. */
  #resources({ gte, lt, filter }: Filtered): Promise<(Resource | Tombstone)[]> {
    return everything({ gte, lt }, async (order) => {
      const documents = await this.#cluster.search<ResourceDocument>(this.#names.resources, {
        query: { bool: { filter: [{ range: { order } }, ...filter] } },
        sort: [{ order: 'asc' }],
        size: PER_SEARCH,
      });
      return { found: documents.map(toResource), last: documents.at(-1)?.order };
    });
  }

  /** The values that a search sorts by come without looking at the documents, which makes it five times faster. */
  #rows(bounds: Bounds): Promise<SurveyRow[]> {
    return everything(bounds, async (order) => {
      const hits = await this.#cluster.hits<SurveyHit>(this.#names.resources, {
        query: { range: { order } },
        sort: [{ order: 'asc' }, { stamp: 'asc' }, { weight: { order: 'asc', missing: NO_WEIGHT } }],
        size: PER_SEARCH,
        _source: false,
        stored_fields: '_none_',
      });
      return { found: hits.map(toRow), last: hits.at(-1)?.sort[0] };
    });
  }
}

/** Searches on above what was found last, until a search is not full. */
async function everything<Item>(
  { gte, lt }: Bounds,
  search: (order: object) => Promise<{ readonly found: readonly Item[]; readonly last: string | undefined }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let order: object = { gte, lt }; ; ) {
    const { found, last } = await search(order);
    items.push(...found);
    if (found.length < PER_SEARCH) return items;
    order = { gt: last, lt };
  }
}

function boundsOf(set: SetId, { from, to }: KeyRange): Bounds {
  return { gte: orderOf(set, from ?? ''), lt: to === undefined ? orderEnd(set) : orderOf(set, to) };
}

function toRow({ sort: [order, stamp, weight] }: SurveyHit): SurveyRow {
  const live = weight !== NO_WEIGHT;
  return { order, stamp, weight: live ? weight : 0, live };
}
