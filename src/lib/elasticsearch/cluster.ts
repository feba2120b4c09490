import { readFileSync } from 'node:fs';
import type { Client as ElasticsearchClient, estypes } from '@elastic/elasticsearch';
import { BoundedConnection } from './bounded-connection.ts';
import { Client, Transport } from './client.ts';
import { clientError, outcomeOf } from './faults.ts';
import type { RequestObserver, RequestOutcome } from './request-outcome.ts';
import type { ElasticsearchServers } from './servers.ts';

export interface ClusterOptions {
  /** Milliseconds until a request counts as lost; shorter in tests. */
  readonly requestTimeout?: number | undefined;
  /** Bytes of a response with several documents; fewer in tests. */
  readonly mostBytesOfBatch?: number | undefined;
  readonly observer?: RequestObserver | undefined;
}

type Search = estypes.SearchRequest & { readonly size: number };

/** Milliseconds until a request counts as lost. Elasticsearch may still execute it: see docs/elasticsearch.md. */
const REQUEST_TIMEOUT = 30_000;
/** Bytes of any response. Elasticsearch takes requests, and so documents, of 100 MB. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Bytes of a response with several documents: larger ones are requested again in smaller batches. */
const MOST_BYTES_OF_BATCH = 32 * 1024 * 1024;
/** Every request of ours may be sent twice. */
const RETRIES = 2;
/** Seconds. */
const RETRY_AFTER = { first: 0.05, most: 1 };

/** The client has no option for the pause before a retry; its own is up to four seconds. */
class QuickRetryTransport extends Transport {
  constructor(options: ConstructorParameters<typeof Transport>[0]) {
    const retryBackoff = (_least: number, _most: number, attempt: number) =>
      Math.min(RETRY_AFTER.first * 2 ** attempt, RETRY_AFTER.most);
    super({ ...options, retryBackoff });
  }
}

/** An Elasticsearch cluster: the client of its makers, with our limits and our errors. */
export class Cluster {
  /** The URLs of its nodes, for errors; without credentials. */
  readonly name: string;
  /** The setting that contains the URLs; the names of related settings begin with it. */
  readonly variable: string;
  readonly #observer: RequestObserver;
  readonly #mostBytesOfBatch: number;
  readonly #client: ElasticsearchClient;

  constructor(
    { nodes, authorization, caFile }: ElasticsearchServers,
    variable = 'TIDEMARK_STORE',
    { requestTimeout = REQUEST_TIMEOUT, observer = {}, mostBytesOfBatch = MOST_BYTES_OF_BATCH }: ClusterOptions = {},
  ) {
    this.#mostBytesOfBatch = mostBytesOfBatch;
    this.#observer = observer;
    this.name = nodes.join(', ');
    this.variable = variable;
    this.#client = new Client({
      nodes: [...nodes],
      Connection: BoundedConnection,
      Transport: QuickRetryTransport,
      maxRetries: RETRIES,
      requestTimeout,
      maxResponseSize: MOST_BYTES,
      enableMetaHeader: false,
      ...(authorization !== undefined && { headers: { authorization } }),
      ...(caFile !== undefined && { tls: { ca: readFileSync(caFile) } }),
    });
  }

  /**
   * Calls the client. Every call goes through here, so that no error of the client gets out.
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

  /** The options of a request for so many documents. When they are too many bytes, it is an error: see `isTooLarge`. */
  limitOf(documents: number): { readonly maxResponseSize: number } {
    return { maxResponseSize: documents === 1 ? MOST_BYTES : this.#mostBytesOfBatch };
  }

  /** Sends the lines of a bulk request as they are: the client's own method would parse and serialize them again. */
  bulk(
    lines: string | Buffer,
    { index, ...querystring }: Pick<estypes.BulkRequest, 'index' | 'filter_path' | 'refresh'> = {},
  ): Promise<Partial<estypes.BulkResponse>> {
    const path = index === undefined ? '/_bulk' : `/${index}/_bulk`;
    return this.ask((client) => client.transport.request({ method: 'POST', path, querystring, bulkBody: lines }));
  }

  /**
   * The sources of the hits of a search. A shard that does not answer fails it. The response is not filtered: to leave
   * out names, Elasticsearch parses every source, which costs more than sending them.
   */
  async search<Source>(search: Search): Promise<Source[]> {
    const hits = await this.hits<Source>(search);
    return hits.map(({ _source }) => _source!);
  }

  /** The hits themselves. */
  async hits<Source>(search: Search): Promise<readonly estypes.SearchHit<Source>[]> {
    const request = { allow_partial_search_results: false, track_total_hits: false, ...search };
    const { hits } = await this.ask((client) => client.search<Source>(request, this.limitOf(search.size)));
    return hits.hits;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
