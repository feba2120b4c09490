/** A cluster of Elasticsearch, with its credentials. */
export interface ElasticsearchServers {
  /** URLs of the nodes, without user information and without a trailing slash. */
  readonly nodes: readonly string[];
  /** The Authorization header: a secret, never printed. Plain text, because locations are passed to worker threads. */
  readonly authorization?: string;
  /** The absolute path of a PEM file with the certificate authority of the servers. */
  readonly caFile?: string;
}
