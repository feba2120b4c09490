import type { JobProgress } from '../../stores/job.ts';

export interface FetchOptions {
  readonly signal: AbortSignal;
  onProgress(bytes: number): void;
}

/** What an attempt gets of the job that it is of. */
export interface Attempt {
  readonly signal: AbortSignal;
  /** Whether the upload has failed when this attempt fails. */
  readonly isLast: boolean;
  report(progress: JobProgress): void;
  log(text: string): void;
}
