/** How a copy of another source is kept; plain values, for threads. */
export interface MirrorSettings {
  /** That has the state of the copy, and its files. */
  readonly folder: string;
  /** As a person named the source. */
  readonly url: string;
  /** The URI of the set that is copied. */
  readonly set: string;
  /** Milliseconds between two polls, where the source sends no changes as they happen. */
  readonly intervalMs: number;
  readonly allowedHosts: readonly string[];
  readonly tokenFile: string | undefined;
  readonly netrc: string | undefined;
  /** For tests: see lib/failpoint.ts. */
  readonly failpoint: string | undefined;
}
