/**
 * Stores the files of a copy. Paths are relative, with slashes; none begins with `.tidemark-mirror`.
 *
 * - A file is not visible before it is published, and then it is complete: its path leads to all of the old bytes or to
 *   all of the new ones, also after a crash.
 * - What `publish` and `remove` have done is durable when they return.
 * - Files of other programs below the target are left alone, except one that has the path of a resource.
 * - Unfinished files of a killed process are deleted when the same copy is opened again.
 *
 * All methods throw TidemarkError `unavailable` when the target as a whole cannot be used.
 */
export interface MirrorTarget {
  /** For messages. */
  readonly name: string;
  /** Bytes of staged files that the target accepts at most before they must be published. */
  readonly mostStagedBytes: number;
  /** Number of concurrent calls of `publish`, with different paths, that the target accepts. */
  readonly writesAtOnce: number;
  /**
   * Whether paths that differ only by case, by the composition of accents or by invisible characters lead to different
   * files.
   */
  readonly keepsNames: boolean;
  /** Number of files to read concurrently when all are compared. */
  readonly readsAtOnce: number;
  /** @throws TidemarkError `conflict` when another mirror has taken over the target since it was opened */
  requireOwned(): Promise<void>;
  /**
   * Begins a file that is not visible.
   * @param path the path of the file once it is published
   * @param length bytes, if known; then no more will be written
   */
  begin(path: string, length: number | undefined): UnfinishedFile;
  /** Publishes files at their paths. Returns the paths that were rejected, each with the reason. */
  publish(files: readonly PublishedFile[]): Promise<readonly RejectedPath[]>;
  /**
   * Deletes files. Ignores paths without a file. Returns the paths that were rejected, each with the reason.
   * @param keep whether to keep the files in a folder of the mirror
   */
  remove(paths: readonly string[], keep: boolean): Promise<readonly RejectedPath[]>;
  /** Length in bytes of the file at a path; undefined when there is none. */
  lengthOf(path: string): number | undefined | Promise<number | undefined>;
  /** Reads the file at a path. @throws TidemarkError `not-found` when there is none */
  read(path: string): AsyncIterable<Buffer>;
  /** Yields the paths of all files below the target, including those of other programs, but not the mirror's own. */
  paths(): AsyncIterable<string>;
  close(): Promise<void>;
}

/** A file that is being written. It ends with either `finish` or `discard`. */
export interface UnfinishedFile {
  /** Appends bytes. May be called once with all bytes, or for each piece. */
  write(bytes: Uint8Array): void | Promise<void>;
  finish(): StagedFile | Promise<StagedFile>;
  discard(): Promise<void>;
}

/** Identifies a complete file without a path. Only its target knows what it means. */
export type StagedFile = string;

export interface PublishedFile {
  readonly staged: StagedFile;
  /** As it was passed to `begin`. */
  readonly path: string;
  /** The modification time of the resource, milliseconds since 1970. The file gets it if the target supports that. */
  readonly modifiedMs?: number | undefined;
}

export interface RejectedPath {
  readonly path: string;
  readonly reason: string;
}
