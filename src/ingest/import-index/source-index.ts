import type { IndexLocation } from '../../config/import-location.ts';
import { TidemarkError } from '../../core/errors.ts';
import { BatchSize } from '../../lib/elasticsearch/batch-size.ts';
import { Cluster } from '../../lib/elasticsearch/cluster.ts';
import { prefetch } from '../../lib/prefetch.ts';

/** Documents of one request: about half a megabyte. */
const PER_REQUEST = 1_000;
/** How long Elasticsearch keeps the point in time after each request. */
const KEEP_ALIVE = '5m';

/** A document as it was found. */
export interface SourceHit {
  readonly _index: string;
  readonly _id: string;
  /** Rises with every write to its shard. Those of two shards cannot be compared. */
  readonly _seq_no: number;
  /** Absent when the index keeps none. */
  readonly _source?: unknown;
}

interface SortedHit extends SourceHit {
  readonly sort: readonly unknown[];
}

interface SourceSearch {
  /** The id of the point in time. */
  readonly pit: string;
  readonly size: number;
  /** What the last document before was sorted by. */
  readonly after: readonly unknown[] | undefined;
}

interface SearchAnswer {
  readonly pit_id: string;
  readonly hits: { readonly total?: { readonly value: number }; readonly hits: readonly SortedHit[] };
}

export interface SourcePage {
  readonly hits: readonly SourceHit[];
  /** How many documents there are in all. */
  readonly total: number;
}

/** An index that another program wrote. It is only read, and needs no privilege but `read`. */
export class SourceIndex {
  readonly #cluster: Cluster;
  readonly #index: string;

  constructor(location: IndexLocation) {
    this.#cluster = new Cluster(location, 'TIDEMARK_IMPORT');
    this.#index = location.index;
  }

  /**
   * Every document, as it was when the reading began, in the order in which the shards have them.
   * @throws TidemarkError `not-found` when there is no such index; else what a cluster throws
   */
  async *read(): AsyncIterable<SourcePage> {
    const batches = new BatchSize(PER_REQUEST);
    let pit = await this.#openPointInTime();
    let total = 0;
    let after: readonly unknown[] | undefined;
    let isLast = false;
    const next = async (): Promise<SourcePage | undefined> => {
      if (isLast) return undefined;
      const { found: hits, isFull } = await batches.ask(async (size) => {
        const { pit_id, hits: found } = await this.#search({ pit, size, after });
        pit = pit_id;
        total = found.total?.value ?? total;
        return found.hits;
      });
      after = hits.at(-1)?.sort;
      isLast = !isFull;
      return hits.length > 0 ? { hits, total } : undefined;
    };
    try {
      yield* prefetch(next);
    } finally {
      await this.#closePointInTime(pit);
    }
  }

  async close(): Promise<void> {
    await this.#cluster.close();
  }

  async #openPointInTime(): Promise<string> {
    const { status, body } = await this.#cluster.ask<{ id: string; _shards?: { total: number } }>({
      method: 'POST',
      path: `/${encodeURIComponent(this.#index)}/_pit`,
      query: { keep_alive: KEEP_ALIVE },
      expects: [404],
    });
    // A pattern that fits no index is answered with no shards.
    if (status !== 404 && body._shards?.total !== 0) return body.id;
    const missing = this.#index.includes(',') ? `one of the indices ${this.#index}` : `the index ${this.#index}`;
    throw new TidemarkError('not-found', `${missing} is not there on Elasticsearch at ${this.#cluster.name}`);
  }

  async #search({ pit, size, after }: SourceSearch): Promise<SearchAnswer> {
    const { body } = await this.#cluster.ask<SearchAnswer>({
      method: 'POST',
      path: '/_search',
      query: {
        allow_partial_search_results: false,
        filter_path:
          'pit_id,hits.total,hits.hits._index,hits.hits._id,hits.hits._seq_no,hits.hits._source,hits.hits.sort',
      },
      body: {
        pit: { id: pit, keep_alive: KEEP_ALIVE },
        size,
        sort: ['_shard_doc'],
        seq_no_primary_term: true,
        track_total_hits: after === undefined,
        ...(after !== undefined && { search_after: after }),
      },
      documents: size,
    });
    return { pit_id: body.pit_id, hits: { ...body.hits, hits: body.hits?.hits ?? [] } };
  }

  async #closePointInTime(id: string): Promise<void> {
    // It ends by itself, too.
    await this.#cluster.ask({ method: 'DELETE', path: '/_pit', body: { id }, expects: [404] }).catch(() => {});
  }
}
