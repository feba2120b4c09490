import type { Fetcher } from './fetcher.ts';
import type { ReadLimits } from './limits.ts';

/** What a client needs to read a source: one for each validation, or for all passes of a mirror. */
export interface Reader {
  readonly fetcher: Fetcher;
  readonly limits: ReadLimits;
  /** Aborted when nothing more may be read. */
  readonly signal: AbortSignal;
  /** Called with each URI before it is read. */
  progress(uri: string): void;
}
