import type { JobProgress } from '../../stores/job.ts';

export interface FetchOptions {
  readonly signal: AbortSignal;
  onProgress(bytes: number): void;
}

/** What a job provides to an attempt. */
export interface Attempt {
  readonly signal: AbortSignal;
  /** Whether the upload fails for good when this attempt fails. */
  readonly isLast: boolean;
  /** What the job waited for until this attempt; undefined also for one that a user has requested. */
  readonly wait?: { readonly reason: string } | undefined;
  /** Milliseconds that it may wait in its place for a dump to begin; as long as necessary, if undefined. */
  readonly mostPauseMs?: number | undefined;
  /** See JobRun; absent when no other process can take the upload, and no user can cancel it. */
  confirm?(): Promise<void>;
  report(progress: JobProgress): void;
  log(text: string): void;
}
