import type { ArtifactLocation } from '../artifacts/open-artifacts.ts';
import type { ElasticsearchServers } from '../lib/elasticsearch/servers.ts';

/** All settings, read once by load-configuration.ts. */
export interface Configuration {
  /** The store of state and log. */
  readonly store: StoreLocation;
  /** The store of artifacts. */
  readonly artifacts: ArtifactLocation;
  /** Milliseconds between two archivings of the log by a server; undefined: never. */
  readonly archiveIntervalMs: number | undefined;
  /** The folder of everything else that this process stores: rendered documents, the state of scans. Absolute. */
  readonly dataFolder: string;
  /** The configuration file that was named with `--config`. Absolute. */
  readonly file: string | undefined;
  /** The public base URL, which ends without a slash; `http://localhost:PORT` when none is set. */
  readonly baseUrl: string;
  readonly host: string;
  readonly port: number;
  /** Whether other servers of the same source may listen on the same port (SO_REUSEPORT). */
  readonly sharePort: boolean;
  /** A second port, used only by this server. */
  readonly ownPort: number | undefined;
  /** Whether a server keeps sets in sync with their folders, buckets and artifacts. */
  readonly sources: boolean;
  readonly jobs: JobsConfiguration;
  /** The time zone of schedules. */
  readonly timeZone: string;
  readonly verifyArtifacts: {
    /** Days within which all stored artifacts are compared with their digests; Infinity: never. */
    readonly days: number;
    readonly bytesPerSecond: number;
  };
  /** The administrator's token from the environment. */
  readonly token: Secret | undefined;
  /** Permits binding to a public address without a token; nothing can be posted then. */
  readonly publicReadOnly: boolean;
  readonly limits: RequestLimits;
  /** Most bytes of rendered documents on disk. */
  readonly cacheBytes: number;
  /** Milliseconds without a byte after which a request times out. */
  readonly idleTimeoutMs: number;
  /** Limits for how many fewer records than the previous run a run of an activity may have; shares from 0 to 1. */
  readonly drop: { readonly stop: number; readonly warn: number };
  readonly s3: S3Configuration;
  /** Most milliseconds of a transform for one record. */
  readonly recordTimeoutMs: number;
  /** Milliseconds between two checks for newer artifacts of sets of records. */
  readonly recordsPollIntervalMs: number;
  /** Milliseconds between two full scans of a folder. */
  readonly folderScanIntervalMs: number;
  /** Whether /metrics and /api/status can be read without a token. */
  readonly publicMetrics: boolean;
  /** The content of /robots.txt. */
  readonly robots: 'quiet' | 'sitemaps' | 'disallow';
  /** The hub where programs subscribe to changes. */
  readonly hub: HubSetting;
  /** Private networks that the hub of this server may send to, in CIDR notation. */
  readonly subscriberNetworks: readonly string[];
  /** Private networks that the page `validate` may request, in CIDR notation. */
  readonly validateNetworks: readonly string[];
  /** Private networks from which files of uploads may be fetched, in CIDR notation. */
  readonly uploadNetworks: readonly string[];
  /** Most bytes of a file that is fetched from the URL of an upload. */
  readonly uploadFetchSize: number;
  /** Number of further attempts to process an upload before it counts as failed. */
  readonly uploadRetries: number;
  /** The folders and buckets below which sets may be added over HTTP. */
  readonly apiRoots: readonly string[];
  /** Whether a server logs a line for each request, at level info. */
  readonly accessLog: boolean;
  readonly logFormat: 'auto' | 'json' | 'text';
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  /** For tests: see lib/failpoint.ts. */
  readonly failpoint: string | undefined;
}

/** Limits per minute; Infinity for no limit. */
export interface RequestLimits {
  /** Requests with one token, unless the token has its own limit. */
  readonly tokenRequests: number;
  /** Bytes of bodies that are posted with one token, uncompressed. */
  readonly tokenBody: number;
  /** Requests without a token from one address. */
  readonly anonymousRequests: number;
}

interface JobsConfiguration {
  /** Whether a server runs jobs. */
  readonly run: boolean;
  /** Number of jobs that a process runs at the same time. */
  readonly concurrency: number;
  /** Milliseconds without a heartbeat after which another process runs a job. */
  readonly leaseMs: number;
}

/** The hub of WebSub: none, the one of this server, or that of another server. */
export type HubSetting =
  | { readonly kind: 'none' }
  | { readonly kind: 'inside' }
  | { readonly kind: 'elsewhere'; readonly url: string };

/** Settings of requests to S3 servers. */
interface S3Configuration {
  /** Milliseconds without a byte from a server after which a request is repeated. */
  readonly timeoutMs: number;
  /** Milliseconds between two listings of a bucket. */
  readonly pollIntervalMs: number;
}

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

/** A text that does not print itself. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }
}
