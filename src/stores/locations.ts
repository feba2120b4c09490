import type { ElasticsearchServers } from '../lib/elasticsearch/servers.ts';

export type StoreLocation = SqliteLocation | ElasticsearchLocation;

export interface SqliteLocation {
  readonly kind: 'sqlite';
  /** Absolute. */
  readonly file: string;
}

export interface ElasticsearchLocation extends ElasticsearchServers {
  readonly kind: 'elasticsearch';
  /** Prefix of the names of its indices. */
  readonly prefix: string;
  /** Primary shards of the index of resources, and of each of changes, when they are created; undefined for one. */
  readonly shards?: number;
}

/** Describes a store without its credentials. */
export function describeStore(location: StoreLocation): string {
  switch (location.kind) {
    case 'sqlite':
      return `sqlite:${location.file}`;
    case 'elasticsearch':
      return `${location.nodes.join(',')} (indices ${location.prefix}-*)`;
  }
}
