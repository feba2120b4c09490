import type { ResourceKey } from '../../../core/key.ts';
import { holder, type KeySearch } from '../../../core/key-search.ts';
import type { Resource } from '../../../core/resource.ts';
import type { SetId } from '../../../core/resource-set.ts';
import { BatchSize } from '../../../lib/elasticsearch/batch-size.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import { findBeginnings, firstOf } from '../../find-beginnings.ts';
import type { FoundResources, Search } from '../../resource-states.ts';
import type { IndexNames } from '../index-names.ts';
import { keyOfSortKey, type ResourceDocument, sortKeyEnd, sortKeyOf, toResource } from '../resource-documents.ts';
import { commonPrefix, ordersBetween, TAIL } from './order-expression.ts';
import { inAscii } from './order-range.ts';
import type { ResourceReader } from './resource-reader.ts';

/** Milliseconds after which a search stops, and returns its position. */
const MOST_TIME_MS = 500;
/** Number of pieces of 4,096 keys in the first slice: some fifty milliseconds. */
const PIECES_AT_FIRST = 32;
/**
 * Milliseconds below which the next slice has twice as many pieces, since a part of the time is the same for any
 * size.
 */
const GROW_BELOW_MS = 100;

interface FinderParts {
  /** Fewer in tests. */
  readonly piecesAtFirst?: number;
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly resources: ResourceReader;
}

/** A range of a set's keys: above one order (exclusive), up to another one (inclusive). */
interface Slice {
  readonly above: string;
  readonly through: string;
}

type Wanted = Pick<Search, 'after' | 'limit'>;

/**
 * Finds resources by a part of their key. Elasticsearch tests every term for that, so the set is searched in slices:
 * the results of each slice are complete, and a search that reaches its time limit can be continued.
 */
export class KeyFinder {
  readonly #parts: FinderParts;

  constructor(parts: FinderParts) {
    this.#parts = parts;
  }

  find(set: SetId, search: KeySearch, { after: given, limit }: Wanted): Promise<FoundResources> {
    const wanted = { after: given && inAscii(given), limit };
    if (search.where === 'anywhere') return this.#anywhere(set, search.texts, wanted);
    return findBeginnings(search.beginnings, wanted, (range) => this.#parts.resources.read(set, range));
  }

  async #anywhere(set: SetId, texts: readonly string[], { after, limit }: Wanted): Promise<FoundResources> {
    const deadline = performance.now() + MOST_TIME_MS;
    const found: Resource[] = [];
    for await (const slice of this.#slices(set, after)) {
      // One row more than the limit shows that there are more.
      found.push(...(await this.#search(slice, texts, limit + 1 - found.length)));
      if (found.length > limit) return firstOf(found, limit);
      const isLast = slice.through === sortKeyEnd(set);
      if (!isLast && performance.now() > deadline) return { resources: found, next: keyOfSortKey(slice.through) };
    }
    return { resources: found, next: undefined };
  }

  async *#slices(set: SetId, after: ResourceKey | undefined): AsyncIterable<Slice> {
    const { resources, piecesAtFirst = PIECES_AT_FIRST } = this.#parts;
    const end = sortKeyEnd(set);
    let above = sortKeyOf(set, after ?? '');
    let pieces = 0;
    let most = piecesAtFirst;
    for await (const { lt } of resources.pieces(set, { from: after })) {
      pieces += 1;
      if (lt !== end && pieces < most) continue;
      // Any text between two keys can be the cut. A short one makes a short expression.
      const through = lt === end ? end : lt.slice(0, commonPrefix(above, lt) + TAIL);
      const began = performance.now();
      yield { above, through };
      if (performance.now() - began < GROW_BELOW_MS) most *= 2;
      above = through;
      pieces = 0;
    }
  }

  async #search({ above, through }: Slice, texts: readonly string[], most: number): Promise<Resource[]> {
    const { cluster, names } = this.#parts;
    const should = texts.map((text) => ({
      regexp: { order: { value: ordersBetween(above, through, text), flags: 'INTERSECTION' } },
    }));
    const filter = [{ term: { doc_type: 'resource' } }, { bool: { should, minimum_should_match: 1 } }];
    const batches = new BatchSize(most);
    const holds = holder(texts);
    const resources: Resource[] = [];
    for (let last = above; ; ) {
      const search = (size: number) =>
        cluster.search<ResourceDocument>({
          index: names.resources,
          query: { bool: { filter } },
          sort: [{ order: 'asc' }],
          search_after: [last],
          size,
        });
      const { found, isFull } = await batches.ask(search, most - resources.length);
      // The expression may match more than the slice, and keys that contain only the beginning of a long text.
      const inside = found.filter(({ order }) => order <= through);
      resources.push(...(inside.map(toResource) as Resource[]).filter(({ key }) => holds(key)));
      if (!isFull || inside.length < found.length || resources.length >= most) return resources;
      last = found.at(-1)!.order;
    }
  }
}
