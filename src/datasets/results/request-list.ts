import type { IngestOptions, RequestDocument } from '../request.ts';
import type { DatasetStatus } from '../status.ts';

/** What comes with requests. */
export interface AskedRequests {
  /** The slug of the set; `datasets` by default. */
  readonly set?: string | undefined;
  readonly options?: IngestOptions;
}

export interface RequestFilter {
  readonly status?: DatasetStatus | undefined;
  readonly state?: RequestDocument['state'] | undefined;
  readonly set?: string | undefined;
  /** Whether requests for a set are listed; all by default. */
  isShown?(set: string): boolean;
  /** Only those after this position, which the page before has named. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface ListedRequests {
  readonly requests: readonly ListedRequest[];
  /** For the next page; undefined after the last. */
  readonly next: string | undefined;
}

export interface ListedRequest {
  readonly id: string;
  readonly document: RequestDocument;
}
