/**
 * Where the files of a copy are. Paths are relative, with slashes; none begins with `.tidemark-mirror`.
 *
 * - A file is not visible before it is published, and then it is complete: its path leads to the bytes of before or to
 *   all of the new ones, also after a crash.
 * - When `publish` or `remove` returns, what it did is durable.
 * - What belongs to other programs below the target is left alone, except a file that has the path of a resource.
 * - What a process that was killed has left unfinished is removed when the same copy is opened again.
 *
 * All methods throw TidemarkError `unavailable` when the target as a whole cannot be used.
 */
export interface MirrorTarget {
  /** For messages. */
  readonly name: string;
  /** How many bytes of staged files it keeps at most before they must be published. */
  readonly mostStagedBytes: number;
  /** How many calls of `publish`, of different paths, it takes at the same time. */
  readonly writesAtOnce: number;
  /** How many files it reads at the same time when all are compared. */
  readonly readsAtOnce: number;
  /** @throws TidemarkError `conflict` when another mirror has taken the target over since it was opened */
  requireOwned(): Promise<void>;
  /**
   * Begins a file that is not visible.
   * @param path the one that it is going to have
   * @param length in bytes, when it is known; it will have no more
   */
  begin(path: string, length: number | undefined): UnfinishedFile;
  /** Gives files their paths. Returns those that cannot have theirs, each with the reason. */
  publish(files: readonly PublishedFile[]): Promise<readonly RejectedPath[]>;
  /** @param keep whether the files are kept aside. Paths without a file are ignored */
  remove(paths: readonly string[], keep: boolean): Promise<readonly RejectedPath[]>;
  /** Bytes of the file at a path; undefined when there is none. */
  lengthOf(path: string): number | undefined | Promise<number | undefined>;
  /** The bytes of the file at a path. */
  read(path: string): AsyncIterable<Buffer>;
  /** All files of the copy, and those of other programs beside them. */
  paths(): AsyncIterable<string>;
  close(): Promise<void>;
}

/** Either `finish` or `discard` is called at the end. */
export interface UnfinishedFile {
  /** Takes all bytes at once, or pieces of them. */
  write(bytes: Uint8Array): void | Promise<void>;
  finish(): StagedFile | Promise<StagedFile>;
  discard(): Promise<void>;
}

/** A complete file without a path: what it is, its target knows. */
export type StagedFile = string;

export interface PublishedFile {
  readonly staged: StagedFile;
  /** As it was given to `begin`. */
  readonly path: string;
  /** When the resource was modified, milliseconds since 1970: the file gets this time, where a target can give it. */
  readonly modifiedMs?: number | undefined;
}

export interface RejectedPath {
  readonly path: string;
  readonly reason: string;
}
