import type { ResultTerminal } from './request.ts';
import type { DatasetStatus } from './status.ts';

interface FailureOptions extends ErrorOptions {
  /** Where the crawl of the landing page has ended, if anything answered there. */
  readonly terminal?: ResultTerminal;
}

/**
 * Why a dataset cannot be ingested: an outcome of its request, not a fault of this program. Each step throws it, and
 * ingest-dataset.ts turns it into the result.
 */
export class IngestFailure extends Error {
  readonly status: Exclude<DatasetStatus, 'success' | 'success-existing' | 'success-file'>;
  readonly terminal: ResultTerminal | undefined;

  /** @param message what was wrong, where, and what to do: for people, without secrets and queries of signed URLs */
  constructor(status: IngestFailure['status'], message: string, options?: FailureOptions) {
    super(message, options);
    this.status = status;
    this.terminal = options?.terminal;
  }
}
