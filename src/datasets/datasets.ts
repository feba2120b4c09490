import type { ArchivingProgress } from './archiving.ts';
import type { Dataset } from './dataset.ts';
import type { StrategyName } from './manifest.ts';
import type { PlatformDataset } from './platform.ts';
import type { IngestOptions, IngestRequest, RequestDocument } from './request.ts';
import type { AnyManifest } from './results/manifests.ts';
import type { AskedRequests, ListedRequests, RequestFilter } from './results/request-list.ts';

/** The use cases of datasets, for commands, the API and pages; open-datasets.ts opens them. */
export interface Datasets {
  /**
   * Records requests, and queues a job for each. Makes the set when it is missing. A request of a URL whose request
   * waits or runs is the same one.
   * @throws TidemarkError `invalid` for a request that is refused, with its field; `not-found` before the source has a
   *   base URL; `conflict` when the set has another origin
   */
  add(requests: readonly IngestRequest[], asked: AskedRequests): Promise<readonly RequestDocument[]>;

  /** Does a request here, and records its result (D51). @throws TidemarkError as `add`; the signal's reason */
  ingest(request: IngestRequest, asked: AskedRequests & IngestAttempt): Promise<RequestDocument>;

  /** Stops before anything is stored. @throws IngestFailure; TidemarkError `invalid` */
  plan(
    request: IngestRequest,
    asked: { readonly options: IngestOptions; readonly signal: AbortSignal; onReply?(reply: RawReply): void },
  ): Promise<IngestPlan>;

  /** Requests, the newest first. */
  list(filter: RequestFilter): Promise<ListedRequests>;

  /** The document of a URL. @throws TidemarkError `not-found`, with the nearest one */
  get(baseUrl: string): Promise<RequestDocument>;
  /** The same by its id, as URLs of pages and of the API have it. @throws TidemarkError `not-found` */
  byId(id: string): Promise<RequestDocument>;

  /** The manifest of the last result: of what is stored, or of what failed; undefined without one. */
  manifest(document: RequestDocument): Promise<AnyManifest | undefined>;

  /** Queues it again. @throws TidemarkError `not-found`; `conflict` while it waits or runs */
  retry(id: string): Promise<RequestDocument>;

  /** The stored datasets of a set, or of all sets, in any order. */
  stored(set?: string): AsyncIterable<Dataset>;
}

export interface IngestAttempt {
  readonly signal: AbortSignal;
  onProgress?(progress: ArchivingProgress): void;
  onStep?(text: string): void;
}

/** What a platform has answered, as it came: for reports by people. */
export interface RawReply {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

export interface IngestPlan {
  readonly dataset: PlatformDataset;
  readonly strategy: StrategyName;
  readonly totalSize: number;
}
