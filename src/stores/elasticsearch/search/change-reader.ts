import type { estypes } from '@elastic/elasticsearch';
import type { Change, ChangeKind } from '../../../core/change.ts';
import { locationOf, type ResourceKey } from '../../../core/key.ts';
import type { SetId } from '../../../core/resource-set.ts';
import type { Stamp } from '../../../core/stamp.ts';
import { BatchSize } from '../../../lib/elasticsearch/batch-size.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import type { LimitedStampRange, LogEntry, StampRange } from '../../change-log.ts';
import type { ActivityRange, ChangeCounts, HistoryRange, LatestRange } from '../../set-statistics.ts';
import type { IndexNames } from '../index-names.ts';
import { type ChangeDocument, keyOfSortKey, sortKeyOf, toChange } from '../resource-documents.ts';

/** The largest `size` that the indices allow: `max_result_window`. */
const MOST_HITS = 50_000;
/** Documents of one search: three megabytes of JSON, parsed in some 15 ms. */
const PER_SEARCH = 5_000;

type Filter = estypes.QueryDslQueryContainer;

/** Boundaries; an undefined one is open. */
interface OpenRange {
  readonly after?: Stamp | undefined;
  readonly until?: Stamp | undefined;
}

interface Bucket {
  readonly key: number;
  readonly kinds: { readonly buckets: readonly { readonly key: ChangeKind; readonly doc_count: number }[] };
}

/** Reads and counts the changes of sets. Their indices must have been refreshed. */
export class ChangeReader {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  /** @param set undefined for all sets */
  async *read(set: SetId | undefined, { limit, ...range }: LimitedStampRange): AsyncIterable<readonly Change[]> {
    const ofSet = set === undefined ? [] : [{ term: { set } }];
    for await (const documents of this.#inOrder(ofSet, range, limit)) yield documents.map(toChange);
  }

  /** The oldest changes of all sets in a range, as log entries. */
  async tail(range: StampRange, limit: number): Promise<readonly LogEntry[]> {
    const entries: LogEntry[] = [];
    for await (const documents of this.#inOrder([], range, limit)) entries.push(...documents.map(toLogEntry));
    return entries;
  }

  /** Stamps and weights of the newest changes of a set below a boundary, newest first. */
  weights(set: SetId, until: Stamp, most: number): Promise<readonly Pick<ChangeDocument, 'stamp' | 'weight'>[]> {
    return this.#cluster.search<Pick<ChangeDocument, 'stamp' | 'weight'>>({
      index: this.#names.changes,
      query: { bool: { filter: [{ term: { set } }, stampRange({ until })] } },
      sort: [{ stamp: 'desc' }],
      size: Math.min(most, MOST_HITS),
      _source: ['stamp', 'weight'],
    });
  }

  async latest(set: SetId, { after, before, limit }: LatestRange): Promise<readonly Change[]> {
    const newest = await this.#newest([{ term: { set } }], { after, until: before }, limit);
    return newest.map(toChange);
  }

  /** Searches by the location of a resource, which is indexed; its order is not. */
  async history(set: SetId, key: ResourceKey, { before, limit }: HistoryRange): Promise<readonly Change[]> {
    const filter = [{ term: { set } }, { term: { 'location.value': locationOf(key).value } }];
    const order = sortKeyOf(set, key);
    const changes: Change[] = [];
    for (let until = before; ; ) {
      const documents = await this.#newest(filter, { until }, limit);
      // A path and a URI elsewhere may have the same text.
      changes.push(...documents.filter((document) => document.order === order).map(toChange));
      if (documents.length < limit || changes.length >= limit) return changes.slice(0, limit);
      until = documents.at(-1)!.stamp;
    }
  }

  async activity(set: SetId, { after, until, unit }: ActivityRange): Promise<readonly ChangeCounts[]> {
    const { aggregations } = await this.#cluster.ask((client) =>
      client.search<unknown, { readonly time: { readonly buckets: readonly Bucket[] } }>({
        index: this.#names.changes,
        allow_partial_search_results: false,
        size: 0,
        track_total_hits: false,
        query: { bool: { filter: [{ term: { set } }, stampRange({ after, until })] } },
        aggs: {
          time: {
            date_histogram: { field: 'datetime', fixed_interval: unit === 'hour' ? '1h' : '1d', min_doc_count: 1 },
            aggs: { kinds: { terms: { field: 'change' } } },
          },
        },
      }),
    );
    return aggregations!.time.buckets.map(toCounts);
  }

  async #newest(filter: readonly Filter[], range: OpenRange, limit: number): Promise<ChangeDocument[]> {
    const newest: ChangeDocument[] = [];
    const batches = new BatchSize(PER_SEARCH);
    for (let { until } = range; newest.length < limit; until = newest.at(-1)!.stamp) {
      const query = { bool: { filter: [...filter, stampRange({ after: range.after, until })] } };
      const search = (size: number) => this.#search({ query, sort: [{ stamp: 'desc' }], size });
      const { found, isFull } = await batches.ask(search, limit - newest.length);
      newest.push(...found);
      if (!isFull) break;
    }
    return newest;
  }

  /** Yields changes in batches, oldest first, at most `limit` changes. */
  async *#inOrder(
    filter: readonly Filter[],
    { after, until }: StampRange,
    limit = Number.POSITIVE_INFINITY,
  ): AsyncIterable<readonly ChangeDocument[]> {
    const batches = new BatchSize(PER_SEARCH);
    let last = after;
    for (let left = limit; left > 0; ) {
      const query = { bool: { filter: [...filter, stampRange({ after: last, until })] } };
      const search = (size: number) => this.#search({ query, sort: [{ stamp: 'asc' }], size });
      const { found, isFull } = await batches.ask(search, left);
      if (found.length > 0) yield found;
      if (!isFull) return;
      last = found.at(-1)!.stamp;
      left -= found.length;
    }
  }

  #search(search: Parameters<Cluster['search']>[0]): Promise<ChangeDocument[]> {
    return this.#cluster.search<ChangeDocument>({ index: this.#names.changes, ...search });
  }
}

function stampRange({ after, until }: OpenRange): Filter {
  return { range: { stamp: { ...(after !== undefined && { gt: after }), ...(until !== undefined && { lt: until }) } } };
}

function toLogEntry({ set, order, change, stamp, weight }: ChangeDocument): LogEntry {
  return { set, key: keyOfSortKey(order), kind: change, stamp, weight };
}

function toCounts({ key, kinds }: Bucket): ChangeCounts {
  const counts = { start: key * 1000, created: 0, updated: 0, deleted: 0 };
  for (const { key: kind, doc_count } of kinds.buckets) counts[kind] = doc_count;
  return counts;
}
