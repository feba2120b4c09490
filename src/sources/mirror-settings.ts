/** How to copy another source. Plain values, so that threads can receive them. */
export interface MirrorSettings {
  /** The folder of the copy: its state and its files. */
  readonly folder: string;
  /** The URL of the source as the user entered it. */
  readonly url: string;
  /** The URI of the set that is copied. */
  readonly set: string;
  /** Milliseconds between two polls, when the source does not send changes as they happen. */
  readonly intervalMs: number;
  readonly allowedHosts: readonly string[];
  readonly tokenFile: string | undefined;
  readonly netrc: string | undefined;
  /** For tests: see lib/failpoint.ts. */
  readonly failpoint: string | undefined;
}
