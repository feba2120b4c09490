import { readFileSync } from 'node:fs';
import { Transport, WeightedConnectionPool } from '@elastic/transport';
import type { Answer } from './answer.ts';
import { BoundedConnection } from './bounded-connection.ts';
import { outcomeOf, redirectError, transportError } from './faults.ts';
import type { RequestObserver, RequestOutcome } from './request-outcome.ts';
import type { ElasticsearchServers } from './servers.ts';

export interface Ask {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** A value, or bytes that are JSON already. */
  readonly body?: object | Buffer;
  /** The lines of a bulk request. */
  readonly lines?: string | Buffer;
  /** Statuses that are an answer like any other; all other ones from 400 on are thrown. */
  readonly expects?: readonly number[];
  /** How many documents the answer may contain. When they are too many bytes, it is an error: see `isTooLarge`. */
  readonly documents?: number;
}

export interface ClusterOptions {
  /** Milliseconds until a request counts as lost; shorter in tests. */
  readonly requestTimeout?: number | undefined;
  /** Bytes of an answer with several documents; fewer in tests. */
  readonly mostBytesOfBatch?: number | undefined;
  readonly observer?: RequestObserver | undefined;
}

/** The body of a search. */
type Search = { readonly size: number } & Readonly<Record<string, unknown>>;

/** Milliseconds until a request counts as lost. Whatever was asked may still happen: see docs/elasticsearch.md. */
const REQUEST_TIMEOUT = 30_000;
/** Bytes of any answer. Elasticsearch takes requests, and so documents, of 100 MB. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Bytes of an answer with several documents: what is larger is requested in smaller batches. */
const MOST_BYTES_OF_BATCH = 32 * 1024 * 1024;
/** Everything that we ask may be asked twice. */
const RETRIES = 2;
/** Seconds. */
const RETRY_AFTER = { first: 0.05, most: 1 };

/** An Elasticsearch cluster: sends requests to a living node, and speaks our errors. */
export class Cluster {
  /** Where it is, for errors; without credentials. */
  readonly name: string;
  /** Of the environment, which says where it is; further ones begin with it. */
  readonly variable: string;
  readonly #observer: RequestObserver;
  readonly #mostBytesOfBatch: number;
  readonly #pool: WeightedConnectionPool;
  readonly #transport: Transport;

  constructor(
    { nodes, authorization, caFile }: ElasticsearchServers,
    variable = 'TIDEMARK_STORE',
    { requestTimeout = REQUEST_TIMEOUT, observer = {}, mostBytesOfBatch = MOST_BYTES_OF_BATCH }: ClusterOptions = {},
  ) {
    this.#mostBytesOfBatch = mostBytesOfBatch;
    this.#observer = observer;
    this.name = nodes.join(', ');
    this.variable = variable;
    this.#pool = new WeightedConnectionPool({
      Connection: BoundedConnection,
      ...(caFile !== undefined && { tls: { ca: readFileSync(caFile) } }),
    });
    this.#pool.addConnection([...nodes]);
    this.#transport = new Transport({
      connectionPool: this.#pool,
      productCheck: 'Elasticsearch',
      requestTimeout,
      retryOnTimeout: false,
      maxRetries: RETRIES,
      retryBackoff: (_min, _max, attempt) => Math.min(RETRY_AFTER.first * 2 ** attempt, RETRY_AFTER.most),
      headers: authorization === undefined ? {} : { authorization },
    });
  }

  /** @throws TidemarkError `unavailable`, or `incompatible` when it is no Elasticsearch */
  async ask<Body>(request: Ask): Promise<Answer<Body>> {
    const { method, path, query = {}, body, lines, expects = [], documents = 1 } = request;
    const params = {
      method,
      path,
      querystring: query,
      ...(lines !== undefined ? { bulkBody: lines } : body !== undefined ? { body } : {}),
    };
    const began = performance.now();
    const told = (outcome: RequestOutcome) => this.#observer.requested?.(outcome, (performance.now() - began) / 1000);
    try {
      // Bytes would be sent as text/plain.
      const headers = Buffer.isBuffer(body) ? { 'content-type': 'application/json' } : {};
      const answer = await this.#transport.request<Body>(params, {
        meta: true,
        ignore: [...expects],
        headers,
        maxResponseSize: documents === 1 ? MOST_BYTES : this.#mostBytesOfBatch,
      });
      const status = answer.statusCode!;
      // It is not followed, and its body is no answer.
      if (status >= 300 && status < 400) throw redirectError(this, status);
      told('answered');
      return { status, body: answer.body };
    } catch (error) {
      told(outcomeOf(error));
      throw transportError(this, error);
    }
  }

  /**
   * The sources of the hits of a search. A shard that does not answer fails it. Answers are not filtered: having Elasticsearch leave out some
   * names makes it take every source apart, which costs more than sending them.
   */
  async search<Source>(index: string, search: Search): Promise<Source[]> {
    const hits = await this.hits<{ _source: Source }>(index, search);
    return hits.map(({ _source }) => _source);
  }

  /** The hits themselves. */
  async hits<Hit>(index: string, search: Search): Promise<readonly Hit[]> {
    const { body } = await this.ask<{ hits: { hits: readonly Hit[] } }>({
      method: 'POST',
      path: `/${index}/_search`,
      query: { allow_partial_search_results: false },
      body: { track_total_hits: false, ...search },
      documents: search.size,
    });
    return body.hits.hits;
  }

  async close(): Promise<void> {
    await this.#pool.empty();
  }
}
