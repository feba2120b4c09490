/**
 * Where the bytes of a set are. Held to these promises by test/contract/content-root.ts. Paths are relative to the root, with `/` between names.
 */
export interface ContentRoot {
  /**
   * The files below a path (the whole root without one; the file itself when the path is one), ascending by the bytes of their
   * resource key (`keyOfPath`), as batches. What is excluded, symbolic links that lead out of the root, and names that are not UTF-8 are left out; a folder that cannot
   * be read, and a name that cannot be published, is told as a problem and does not stop the rest.
   * @throws TidemarkError `unavailable` when the root itself is not there
   */
  list(under?: string): AsyncIterable<readonly RootEntry[]>;

  /**
   * Opens a file for reading. What it opens lies in the root also when a link is swapped in meanwhile.
   * @throws TidemarkError `not-found` when there is no such file (any more), or it lies outside; `unavailable` when it cannot be read
   */
  open(path: string): Promise<RootFile>;

  /** Tells what changed from now on: a path to list again, a file or a folder. Told at least once for every change, perhaps more often. */
  watch(onChange: (path: string) => void, onProblem: (problem: RootProblem) => void): Promise<RootWatch>;
}

export type RootEntry =
  | {
      readonly path: string;
      readonly length: number /** Nanoseconds since 1970. */;
      readonly mtime: bigint;
      readonly problem?: undefined;
    }
  | RootProblem;

/** Something that could not be listed: what lies at or below the path is unknown, not gone. */
export interface RootProblem {
  readonly path: string;
  readonly problem: string;
}

/** An open file; its figures are those of the bytes that will be read. */
export interface RootFile {
  readonly length: number;
  readonly mtime: bigint;
  /** Tells versions of its bytes apart, as the opaque part of an ETag. */
  readonly tag: string;
  /** Bytes from `start` to `end`, both inclusive; all without a range. The stream closes the file. */
  stream(range?: { readonly start: number; readonly end: number }): import('node:stream').Readable;
  close(): Promise<void>;
}

export interface RootWatch {
  close(): Promise<void>;
}
