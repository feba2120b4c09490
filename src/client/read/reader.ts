import type { Fetcher } from './fetcher.ts';
import type { ReadLimits } from './limits.ts';

/** With what a client reads a source: one for each validation or pass of a mirror. */
export interface Reader {
  readonly fetcher: Fetcher;
  readonly limits: ReadLimits;
  /** Aborted when nothing more is to be read. */
  readonly signal: AbortSignal;
  /** Called with what is going to be read. */
  progress(uri: string): void;
}
