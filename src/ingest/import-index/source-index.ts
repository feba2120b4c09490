import type { estypes } from '@elastic/elasticsearch';
import type { IndexLocation } from '../../config/import-location.ts';
import { TidemarkError } from '../../core/errors.ts';
import { prefetch } from '../../lib/calls/prefetch.ts';
import { BatchSize } from '../../lib/elasticsearch/batch-size.ts';
import { Cluster } from '../../lib/elasticsearch/cluster.ts';

/** Number of documents of one request: about half a megabyte. */
const PER_REQUEST = 1_000;
/** How long Elasticsearch keeps the point in time after each request. */
const KEEP_ALIVE = '5m';

/** A found document. */
export interface SourceHit {
  readonly _index: string;
  readonly _id: string;
  /** Rises with every write to its shard. Values of two shards cannot be compared. */
  readonly _seq_no: number;
  /** Absent when the index does not store it. */
  readonly _source?: unknown;
}

interface SortedHit extends SourceHit {
  readonly sort: estypes.SortResults;
}

interface SourceSearch {
  /** The id of the point in time. */
  readonly pit: string;
  readonly size: number;
  /** The sort values of the last document of the previous page. */
  readonly after: estypes.SortResults | undefined;
}

interface SearchAnswer {
  readonly pit: string;
  /** Present on the first page only. */
  readonly total: number | undefined;
  readonly hits: readonly SortedHit[];
}

interface SourcePage {
  readonly hits: readonly SourceHit[];
  /** Number of all documents. */
  readonly total: number;
}

/** An index that another program wrote. It is only read; the privilege `read` is enough. */
export class SourceIndex {
  readonly #cluster: Cluster;
  readonly #index: string;

  constructor(location: IndexLocation) {
    this.#cluster = new Cluster(location, 'TIDEMARK_IMPORT');
    this.#index = location.index;
  }

  /**
   * Every document, as of the start of reading, in the order of the shards.
   * @throws TidemarkError `not-found` when there is no such index; else what a cluster throws
   */
  async *read(): AsyncIterable<SourcePage> {
    const batches = new BatchSize(PER_REQUEST);
    let pit = await this.#openPointInTime();
    let total = 0;
    let after: estypes.SortResults | undefined;
    let isLast = false;
    const next = async (): Promise<SourcePage | undefined> => {
      if (isLast) return undefined;
      const { found: hits, isFull } = await batches.ask(async (size) => {
        const found = await this.#search({ pit, size, after });
        pit = found.pit;
        total = found.total ?? total;
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
    const request = { index: this.#index, keep_alive: KEEP_ALIVE };
    const { statusCode, body } = await this.#cluster.ask((client) =>
      client.openPointInTime(request, { ignore: [404], meta: true }),
    );
    // The response to a pattern without an index has no shards.
    if (statusCode !== 404 && body._shards?.total !== 0) return body.id;
    const missing = this.#index.includes(',') ? `one of the indices ${this.#index}` : `the index ${this.#index}`;
    throw new TidemarkError('not-found', `${missing} does not exist on Elasticsearch at ${this.#cluster.name}`);
  }

  async #search({ pit, size, after }: SourceSearch): Promise<SearchAnswer> {
    const request: estypes.SearchRequest = {
      allow_partial_search_results: false,
      filter_path:
        'pit_id,hits.total,hits.hits._index,hits.hits._id,hits.hits._seq_no,hits.hits._source,hits.hits.sort',
      pit: { id: pit, keep_alive: KEEP_ALIVE },
      size,
      sort: ['_shard_doc'],
      seq_no_primary_term: true,
      track_total_hits: after === undefined,
      ...(after !== undefined && { search_after: after }),
    };
    const response = await this.#cluster.ask((client) => client.search(request, this.#cluster.limitOf(size)));
    // An empty page has no hits at all, because the response is filtered.
    const { total, hits = [] } = (response as Partial<typeof response>).hits ?? {};
    return {
      pit: response.pit_id!,
      total: typeof total === 'number' ? total : total?.value,
      hits: hits as readonly SortedHit[],
    };
  }

  async #closePointInTime(id: string): Promise<void> {
    // The point in time also expires without this.
    await this.#cluster.ask((client) => client.closePointInTime({ id }, { ignore: [404] })).catch(() => {});
  }
}
