import type { ArtifactLocation } from '../artifacts/open-artifacts.ts';
import type { ElasticsearchServers } from '../lib/elasticsearch/servers.ts';

/** Everything that is set from outside, read once by load-configuration.ts. */
export interface Configuration {
  /** Where state and log are kept. */
  readonly store: StoreLocation;
  /** Where artifacts are kept. */
  readonly artifacts: ArtifactLocation;
  /** Milliseconds after which a server archives the log again; undefined: never. */
  readonly archiveInterval: number | undefined;
  /** The folder of everything else that this process keeps: rendered documents, what scans remember. Absolute. */
  readonly dataFolder: string;
  /** The public base URL without a slash at its end; `http://localhost:PORT` when none is set. */
  readonly baseUrl: string;
  readonly host: string;
  readonly port: number;
  /** Whether other servers of the same source may listen on the same port (SO_REUSEPORT). */
  readonly sharePort: boolean;
  /** A second port, of this server alone. */
  readonly ownPort: number | undefined;
  /** Whether a server keeps sets in sync with their folders, buckets and artifacts, and archives the log. */
  readonly sources: boolean;
  /** The administrator's token from the environment. */
  readonly token: Secret | undefined;
  /** Permits to bind to a public address without a token; nothing can be posted then. */
  readonly publicReadOnly: boolean;
  readonly limits: RequestLimits;
  /** Bytes that rendered documents may take on disk. */
  readonly cacheBytes: number;
  /** Milliseconds that a request may send nothing. */
  readonly idleTimeout: number;
  /** How many fewer records than the run before a run of an activity may have; shares from 0 to 1. */
  readonly drop: { readonly stop: number; readonly warn: number };
  readonly s3: S3Configuration;
  /** Milliseconds that a transform may take for one record. */
  readonly recordTimeout: number;
  /** Milliseconds between two looks for newer artifacts of sets of records. */
  readonly recordsPollInterval: number;
  /** Milliseconds between two full scans of a folder. */
  readonly folderScanInterval: number;
  /** Whether everybody may read /metrics and /api/status. */
  readonly publicMetrics: boolean;
  /** Whether a server logs a line for each request, at the level info. */
  readonly accessLog: boolean;
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  /** For tests: see lib/failpoint.ts. */
  readonly failpoint: string | undefined;
}

/** How much may be asked of a server in a minute; Infinity is without a limit. */
export interface RequestLimits {
  /** Requests with one token, which may have a limit of its own. */
  readonly tokenRequests: number;
  /** Bytes of bodies that are posted with one token, unpacked. */
  readonly tokenBody: number;
  /** Requests without a token from one address. */
  readonly anonymousRequests: number;
}

/** How S3 is asked. */
export interface S3Configuration {
  /** Milliseconds that a server may say nothing before it is asked again. */
  readonly timeout: number;
  /** Milliseconds between two looks at what is in a bucket. */
  readonly pollInterval: number;
}

export type StoreLocation = SqliteLocation | ElasticsearchLocation;

export interface SqliteLocation {
  readonly kind: 'sqlite';
  /** Absolute. */
  readonly file: string;
}

export interface ElasticsearchLocation extends ElasticsearchServers {
  readonly kind: 'elasticsearch';
  /** What the names of its indices begin with. */
  readonly prefix: string;
}

/** A store as people may see it: without what gives access to it. */
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
