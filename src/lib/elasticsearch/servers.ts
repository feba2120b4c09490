/** A cluster of Elasticsearch, and what gives access to it. */
export interface ElasticsearchServers {
  /** URLs of its nodes, without user information, without a slash at the end. */
  readonly nodes: readonly string[];
  /** The Authorization header; a secret: never printed. Plain text, because locations are handed to worker threads. */
  readonly authorization?: string;
  /** A PEM file of the authority that signed the servers' certificates. Absolute. */
  readonly caFile?: string;
}
