import { readFileSync } from 'node:fs';
import type { Client as ElasticsearchClient, estypes } from '@elastic/elasticsearch';
import { TidemarkError } from '../../core/errors.ts';
import { BoundedConnection } from './bounded-connection.ts';
import { Client, ClusterConnectionPool, Transport } from './client.ts';
import { clientError, outcomeOf, refusalError } from './faults.ts';
import type { RequestObserver, RequestOutcome } from './request-outcome.ts';
import type { ElasticsearchServers } from './servers.ts';

export interface ClusterOptions {
  /** Milliseconds until a request times out; shorter in tests. */
  readonly requestTimeoutMs?: number | undefined;
  /** Most bytes of a response with several documents; fewer in tests. */
  readonly mostBytesOfBatch?: number | undefined;
  readonly observer?: RequestObserver | undefined;
}

type Search = estypes.SearchRequest & { readonly size: number };

/** Milliseconds until a request times out. Elasticsearch may still execute it: see docs/internals/elasticsearch.md. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Most bytes of any response. Elasticsearch accepts requests, and so documents, of up to 100 MB. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Most bytes of a response with several documents. After a larger one, smaller batches are requested. */
const MOST_BYTES_OF_BATCH = 32 * 1024 * 1024;
/** All our requests are safe to repeat. */
const RETRIES = 2;
/** Seconds before the first retry, and at most. */
const RETRY_AFTER_SECONDS = { first: 0.05, most: 1 };

/** The client has no option for its retry backoff, which is up to four seconds. */
class QuickRetryTransport extends Transport {
  constructor(options: ConstructorParameters<typeof Transport>[0]) {
    const retryBackoff = (_least: number, _most: number, attempt: number) =>
      Math.min(RETRY_AFTER_SECONDS.first * 2 ** attempt, RETRY_AFTER_SECONDS.most);
    super({ ...options, retryBackoff });
  }
}

/** Milliseconds after which a node that failed is probed, and used again when it answers; doubled by each failure. */
const RESURRECT = { afterMs: 1_000, doubledAtMost: 4 };

/**
 * Sends no request to a node that has failed until it answers again. The client's own pool would go on to use it,
 * though less often.
 */
class QuickConnectionPool extends ClusterConnectionPool {
  override resurrectTimeout = RESURRECT.afterMs;
  override resurrectTimeoutCutoff = RESURRECT.doubledAtMost;
}

/** An Elasticsearch cluster: the official client, with our limits and our errors. */
export class Cluster {
  /** The URLs of its nodes, for errors; without credentials. */
  readonly name: string;
  /** The setting with the URLs. The names of related settings begin with its name. */
  readonly variable: string;
  readonly #observer: RequestObserver;
  readonly #mostBytesOfBatch: number;
  readonly #client: ElasticsearchClient;

  constructor(
    { nodes, authorization, caFile }: ElasticsearchServers,
    variable = 'TIDEMARK_STORE',
    {
      requestTimeoutMs = REQUEST_TIMEOUT_MS,
      observer = {},
      mostBytesOfBatch = MOST_BYTES_OF_BATCH,
    }: ClusterOptions = {},
  ) {
    this.#mostBytesOfBatch = mostBytesOfBatch;
    this.#observer = observer;
    this.name = nodes.join(', ');
    this.variable = variable;
    this.#client = new Client({
      nodes: [...nodes],
      Connection: BoundedConnection,
      ConnectionPool: QuickConnectionPool,
      Transport: QuickRetryTransport,
      maxRetries: RETRIES,
      requestTimeout: requestTimeoutMs,
      maxResponseSize: MOST_BYTES,
      enableMetaHeader: false,
      // Without headers. By default, each error has a copy of its request for which secrets were searched: of a body of
      // 3 MB, an object with three million members, which takes 300 MB, and blocks the process for seconds.
      redaction: { type: 'remove' },
      ...(authorization !== undefined && { headers: { authorization } }),
      ...(caFile !== undefined && { tls: { ca: readFileSync(caFile) } }),
    });
  }

  /**
   * Calls the client. Every call goes through here, so that callers never get an error of the client.
   * @throws TidemarkError `unavailable`, or `incompatible` when the server is not Elasticsearch
   */
  async ask<Response>(call: (client: ElasticsearchClient) => Promise<Response>): Promise<Response> {
    const began = performance.now();
    const observe = (outcome: RequestOutcome) =>
      this.#observer.requested?.(outcome, (performance.now() - began) / 1000);
    try {
      const response = await call(this.#client);
      observe('answered');
      return response;
    } catch (error) {
      observe(outcomeOf(error));
      throw clientError(this, error);
    }
  }

  /** The options of a request for this number of documents. A larger response fails: see `isTooLarge`. */
  limitOf(documents: number): { readonly maxResponseSize: number } {
    return { maxResponseSize: documents === 1 ? MOST_BYTES : this.#mostBytesOfBatch };
  }

  /** Sends the lines of a bulk request unchanged: the client's own method would parse and serialize them again. */
  bulk(
    lines: string | Buffer,
    { index, ...querystring }: Pick<estypes.BulkRequest, 'index' | 'filter_path' | 'refresh' | 'require_alias'> = {},
  ): Promise<Partial<estypes.BulkResponse>> {
    const path = index === undefined ? '/_bulk' : `/${index}/_bulk`;
    return this.ask((client) => client.transport.request({ method: 'POST', path, querystring, bulkBody: lines }));
  }

  /**
   * Makes everything that was written before visible to searches.
   * @throws TidemarkError `unavailable` when a copy of a shard fails: a search of it would find old documents
   */
  async refresh(...indices: readonly string[]): Promise<void> {
    const { _shards } = await this.ask((client) =>
      client.indices.refresh({ index: [...indices], filter_path: '_shards.failed' }),
    );
    const { failed } = _shards!;
    if (failed === 0) return;
    throw new TidemarkError(
      'unavailable',
      `Elasticsearch at ${this.name} could not refresh ${failed} copies of its shards: what they show may be old`,
    );
  }

  /**
   * Returns the sources of the hits of a search. The search fails if a shard does not respond. No `filter_path`: to
   * leave out names, Elasticsearch would parse every source, which costs more than sending them.
   */
  async search<Source>(search: Search): Promise<Source[]> {
    const hits = await this.hits<Source>(search);
    return hits.map(({ _source }) => _source!);
  }

  /** Returns the hits of a search. */
  async hits<Source>(search: Search): Promise<readonly estypes.SearchHit<Source>[]> {
    const request = { allow_partial_search_results: false, track_total_hits: false, ...search };
    const { hits } = await this.ask((client) => client.search<Source>(request, this.limitOf(search.size)));
    return hits.hits;
  }

  /** Returns the hits of several searches of an index, in one request. It fails if one of them does. */
  async hitsOfEach<Source>(
    index: string,
    searches: readonly Search[],
  ): Promise<readonly (readonly estypes.SearchHit<Source>[])[]> {
    const header = { index, allow_partial_search_results: false };
    const all = searches.flatMap((search) => [header, { track_total_hits: false, ...search }]);
    const { responses } = await this.ask((client) => client.msearch<Source>({ searches: all }));
    return responses.map((response) => {
      if ('hits' in response) return response.hits.hits;
      throw refusalError(this, response.status, response);
    });
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
