/**
 * Where the files of a copy are. Paths are relative, with slashes; none begins with `.tidemark-mirror`.
 *
 * - A file is not visible before it is published, and then it is complete: its path leads to the bytes of before or to
 *   all of the new ones, also after a crash.
 * - When `publish` or `remove` returns, what it did is durable.
 * - What belongs to other programs below the target is left alone, except a file that has the path of a resource.
 */
export interface MirrorTarget {
  /** For messages. */
  readonly name: string;
  /** Begins a file that is not visible. */
  begin(): UnfinishedFile;
  /** Gives files their paths. Returns those that cannot have theirs, each with the reason. */
  publish(files: readonly PublishedFile[]): Promise<readonly RejectedPath[]>;
  /** @param keep whether the files are kept aside. Paths without a file are ignored */
  remove(paths: readonly string[], keep: boolean): Promise<readonly RejectedPath[]>;
  /** Bytes of the file at a path; undefined when there is none. */
  lengthOf(path: string): number | undefined;
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
  finish(): Promise<StagedFile>;
  discard(): Promise<void>;
}

/** A complete file without a path: what it is, its target knows. */
export type StagedFile = string;

export interface PublishedFile {
  readonly staged: StagedFile;
  readonly path: string;
}

export interface RejectedPath {
  readonly path: string;
  readonly reason: string;
}
