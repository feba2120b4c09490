import type { StrategyName } from './manifest.ts';
import type { DatasetStatus } from './status.ts';

/** The only type of ingest (D01); others of sandcrawler are refused. */
export const INGEST_TYPE = 'dataset';

/** A request to ingest a dataset, in sandcrawler's names; members that are not named here are kept as they came. */
export interface IngestRequest {
  readonly ingest_type: typeof INGEST_TYPE;
  /** http or https; at most 2,000 bytes (d19). */
  readonly base_url: string;
  readonly link_source?: string;
  readonly link_source_id?: string;
  readonly ingest_request_source?: string;
  readonly ext_ids?: Readonly<Record<string, string>>;
  readonly fatcat?: Readonly<Record<string, unknown>>;
  readonly edit_extra?: Readonly<Record<string, unknown>>;
}

/** What the sender of a request chooses, besides it. */
export interface IngestOptions {
  /** Stores the bundle where there is one, also where the platform has single files (d16). */
  readonly bundle?: boolean;
  readonly followLatest?: boolean;
  /** Stores files that differ from what the platform says, marked (d13). */
  readonly acceptMismatch?: boolean;
}

/**
 * The document `dataset-request` of the catalog: one for each (ingest_type, base_url), whose id is `requestId`. A later
 * request replaces it, and a result is put only into the document of its own `token` (D49).
 */
export interface RequestDocument {
  readonly request: IngestRequest;
  readonly options: IngestOptions;
  /** The slug of the set. */
  readonly set: string;
  /** Milliseconds since 1970. */
  readonly requested: number;
  /** Of this request among those of the same URL: random. */
  readonly token: string;
  /** `ingest-dataset/ID`, when a job does it. */
  readonly job?: string;
  readonly state: 'waiting' | 'running' | 'ended';
  /** Its job has failed or was cancelled: a client may retry that, and then it is done. */
  readonly isUndone?: true;
  /** The last result, also while the next one is awaited. */
  readonly result?: IngestResult;
}

/** The result of a request: what a row has of it (D39-D46), the manifest by reference. */
export interface IngestResult {
  readonly hit: boolean;
  readonly status: DatasetStatus;
  /** What was wrong, where, and what to do. Absent for a success. */
  readonly message?: string;
  /** Milliseconds since 1970. */
  readonly updated: number;
  readonly terminal?: ResultTerminal;
  readonly platform?: ResultPlatform;
  readonly strategy?: StrategyName;
  /** Bytes. */
  readonly totalSize?: number;
  readonly fileCount?: number;
  readonly itemName?: string;
  readonly itemBundlePath?: string;
  /** The artifact with the manifest: of the stored dataset, or of what failed. */
  readonly manifest?: string;
  /** The id of the document `dataset` that it led to. */
  readonly dataset?: string;
}

export interface ResultTerminal {
  readonly url: string;
  /** 14 digits. */
  readonly dt?: string;
  readonly statusCode?: number;
  /** 40 digits. */
  readonly sha1hex?: string;
}

export interface ResultPlatform {
  readonly name: string;
  readonly domain: string;
  readonly id: string;
  readonly version?: string;
}
