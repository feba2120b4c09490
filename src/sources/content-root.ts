import type { DraftPlace } from '../artifacts/drafts.ts';
import type { HashAlgorithm, Hashes } from '../core/hash.ts';
import type { Link } from '../core/resource.ts';
import type { Seconds } from '../core/w3c-datetime.ts';
import type { LeavesOut } from './served-source.ts';

/** How many entries of a root are no files, and are not excluded by a pattern either. */
export interface SkippedEntries {
  /** Links to folders, to what is outside the root, and to nothing. */
  readonly links: number;
  /** Sockets, pipes and devices. */
  readonly special: number;
  /** Which one it is, where it was asked for by its own path. */
  readonly path?: string;
}

/**
 * Where the bytes of a set are. Held to these promises by test/contract/content-root.ts. Paths are relative to the
 * root, with `/` between names.
 */
export interface ContentRoot {
  /** What every digest has at least. */
  readonly hashes: readonly HashAlgorithm[];
  /** For a root that costs much to ask while it is in trouble: milliseconds between two attempts at most. */
  readonly longestRetryMs?: number;
  /** Whether an empty root lost its files for sure, as far as the root can know that. */
  readonly knowsEmpty?: true;
  /** So many digests are worth asking for at once. */
  readonly digestsAtOnce: number;

  /**
   * The files below a path (the whole root without one; the file itself when the path is one), ascending by the bytes
   * of their resource key (`keyOfPath`), as batches. What is excluded and symbolic links that lead out of the root are
   * left out. A folder that cannot be read, and a name that cannot be published (not UTF-8, control characters), is
   * reported as a problem and does not stop the rest; a problem comes before the first file that is reported after the
   * files that it hides.
   *
   * The root was there after each batch was gathered: what a batch skips was not there, not unreachable.
   * @param onSkipped is called with what a batch leaves out though no pattern excludes it
   * @throws TidemarkError `unavailable` when the root itself is not there, also when it vanishes meanwhile
   */
  list(under?: string, onSkipped?: (skipped: SkippedEntries) => void): AsyncIterable<readonly RootEntry[]>;

  /**
   * Reads what others have changed, before everything is compared; only where the root is a copy. It changes the copy.
   * @throws TidemarkError `unavailable` when that cannot be read, `conflict` when another process keeps the copy
   */
  refresh?(onProgress: (progress: RefreshProgress) => void, signal?: AbortSignal): Promise<void>;

  /**
   * Whether `list` would return nothing at all.
   * @throws TidemarkError as `list`
   */
  isEmpty(): Promise<boolean>;

  /**
   * What the root leaves out now. It may be asked about any path, also of no file.
   * @throws TidemarkError `unavailable` when that cannot be known
   */
  leavesOut(): Promise<LeavesOut>;

  /**
   * Opens a file that `list` would return, and no other. What it opens is in the root also when a link is swapped in
   * meanwhile.
   * @param isWhole whether all of its bytes are likely to be read: a root may then request them with its figures
   * @throws TidemarkError `not-found` when there is no such file (any more), it is outside, below a link or is left
   *   out; `unavailable` when it cannot be read
   */
  open(path: string, isWhole?: boolean): Promise<RootFile>;

  /**
   * Lets a thread that may be blocked read small files, one after the other, which takes a fraction of the time of
   * `open`. What is left out is found out once for all files, so begin again for every few milliseconds of work. Only
   * where the root can do so.
   * @throws TidemarkError `unavailable` when it cannot be known what is left out
   */
  beginReads?(): Promise<FillFrom>;

  /**
   * The hashes of a file that was listed, with the figures of the very bytes that have them. Several may be asked for
   * at once.
   * @throws TidemarkError as `open`, but what is left out meanwhile may still be hashed; `conflict` when the file was
   *   changed while it was read; the signal's reason when it is aborted
   * @param copied is made of the bytes that were hashed
   */
  digest(path: string, signal?: AbortSignal, copied?: WantedCopy): Promise<FileDigest>;

  /**
   * Reports what changes from now on: a path to list again, a file or a folder, the empty path for the whole root.
   * At least once for every change, perhaps more often. A problem with the empty path means that the root has vanished
   * or was replaced, and that nothing more will be reported.
   * @throws TidemarkError `unavailable` when the root is not there
   */
  watch(onChange: (path: string) => void, onProblem: (problem: RootProblem) => void): Promise<RootWatch>;

  /**
   * A URL by which every client that has it may read the file, for a while and without us; only where the root can make
   * one. Whether there is such a file shows when the URL is fetched.
   * @throws TidemarkError `not-found` when it is left out
   */
  presign?(path: string, use: PresignedUse): Promise<string>;

  /** Closes what it has open; only where there is something. */
  close?(): void;
}

/** How far a copy is: files that are to be compared, and those of them that were read. */
export interface RefreshProgress {
  readonly files: number;
  readonly hashed: number;
  readonly bytes: number;
}

export type RootEntry = FileEntry | RootProblem;

export interface FileEntry {
  readonly path: string;
  /** Bytes. */
  readonly length: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  /**
   * Differs for any two versions of its bytes, as far as the root knows without reading them; else length and mtime
   * have to do.
   */
  readonly tag?: string;
  /**
   * When anything of it was changed last, nanoseconds since 1970. Absent where the same tag proves the same bytes;
   * where it is given, a change of a file that is as young as the clock of the file system is coarse may leave the tag
   * as it was.
   */
  readonly changed?: bigint;
  /** Bytes that its digest most likely has to read, when these are not all. */
  readonly toRead?: number;
  readonly problem?: undefined;
}

/** Something that could not be listed: what is at or below the path is unknown, not gone. */
export interface RootProblem {
  readonly path: string;
  readonly problem: string;
}

/** An open file; its figures are those of the bytes that will be read. */
export interface RootFile {
  /** Bytes. */
  readonly length: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  /** Distinguishes versions of its bytes, as the opaque part of an ETag. */
  readonly tag: string;
  /** All of them, when the root has read them already, as it does with small files. */
  readonly bytes?: Buffer | undefined;
  /**
   * Bytes from `start` to `end`, both inclusive; all without a range. The stream closes the file. It fails with
   * `conflict`, before its last bytes, when the file was changed since it was opened: no client takes a mixture of two
   * versions for one.
   */
  stream(range?: ByteRange): import('node:stream').Readable;
  /**
   * Reads the first bytes of a range into a buffer, where the root can. Returns how many, at least one. Fails as the
   * stream does.
   */
  readInto?(buffer: Buffer, range: ByteRange): Promise<number>;
  close(): Promise<void>;
}

/**
 * Fills a buffer with the bytes of a file that has just so many. Returns false when it has not, or anything else is not
 * as usual: then `open` finds out what it is. The file may have been changed, or a folder above it replaced by a link:
 * compare a hash.
 */
export type FillFrom = (path: string, buffer: Uint8Array) => boolean;

/** A copy of the bytes of a small file. */
export interface WantedCopy {
  /** Of a larger file none is made. Less than a megabyte. */
  readonly mostBytes: number;
  /**
   * A root that reads files in threads of its own writes the bytes there, when it is given; else the digest has them.
   * When they cannot be written, that is `unavailable`, without a path.
   */
  readonly draft?: DraftPlace | undefined;
}

export interface FileDigest {
  /** Bytes. */
  readonly length: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  readonly hashes: Hashes;
  /** As in `FileEntry`. */
  readonly tag?: string;
  /** The media type that was stored with the file; without one, it follows from the name. */
  readonly mime?: string;
  /** Links that the root knows of. */
  readonly links?: readonly Link[];
  /** The very bytes that have these hashes, when they were asked for. */
  readonly bytes?: Uint8Array;
  /** They were written as a draft instead. */
  readonly isDrafted?: boolean;
}

export interface PresignedUse {
  readonly method: 'GET' | 'HEAD';
  readonly expires: Seconds;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface RootWatch {
  close(): Promise<void>;
}
