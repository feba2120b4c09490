import type { DraftPlace } from '../artifacts/drafts.ts';
import type { HashAlgorithm, Hashes } from '../core/hash.ts';
import type { Link } from '../core/resource.ts';
import type { Seconds } from '../core/w3c-datetime.ts';
import type { LeavesOut } from './served-source.ts';

/** Number of entries of a root that are not files and that no pattern excludes. */
export interface SkippedEntries {
  /** Links to folders, to targets outside the root or of this program, and to targets that do not exist. */
  readonly links: number;
  /** Sockets, pipes and devices. */
  readonly special: number;
  /** The path of the entry, when it was listed by its own path. */
  readonly path?: string;
}

/**
 * Access to the files of a set. test/contract/content-root.ts tests these promises for every adapter. Paths are
 * relative to the root, with `/` between names.
 */
export interface ContentRoot {
  /** Hash algorithms that every digest contains, perhaps among others. */
  readonly hashes: readonly HashAlgorithm[];
  /** Most milliseconds between two attempts while the root is in trouble, for a root whose requests are expensive. */
  readonly longestRetryMs?: number;
  /**
   * Present when an empty list proves that the source has no files. Otherwise an empty root counts as a missing disk.
   */
  readonly knowsEmpty?: true;
  /** Number of `digest` calls to run at the same time. */
  readonly digestsAtOnce: number;

  /**
   * The files below a path, in batches, ascending by the bytes of their resource key (`keyOfPath`). Without a path: the
   * whole root; with the path of a file: that file. Excluded files, and symbolic links that lead out of the root or to
   * this program's own files, are not listed. A folder that cannot be read, and a name that cannot be published (not
   * UTF-8, control characters), is reported as a problem and does not stop the rest. A problem comes before the first
   * later file that follows the files that it hides.
   *
   * The root existed after each batch was gathered: files missing in a batch do not exist, rather than being
   * unreachable.
   * @param onSkipped is called with the entries that a batch leaves out though no pattern excludes them
   * @throws TidemarkError `unavailable` when the root itself does not exist, also when it vanishes meanwhile
   */
  list(under?: string, onSkipped?: (skipped: SkippedEntries) => void): AsyncIterable<readonly RootEntry[]>;

  /**
   * Waits until another full list may be compared, where many roots share a disk. The caller calls the result at the
   * end of the comparison. Only some roots have this method.
   * @throws the signal's reason when it is aborted before
   */
  beginScan?(signal?: AbortSignal): Promise<() => void>;

  /**
   * Updates a root that is a copy of another source, before the full comparison. Only such roots have this method.
   * @throws TidemarkError `unavailable` when the source cannot be read, `conflict` when another process updates the
   *   copy
   */
  refresh?(onProgress: (progress: RefreshProgress) => void, signal?: AbortSignal): Promise<void>;

  /**
   * Whether `list` would return no entries.
   * @throws TidemarkError as `list`
   */
  isEmpty(): Promise<boolean>;

  /**
   * Returns the current exclusions, as a function that accepts any path, also one without a file.
   * @throws TidemarkError `unavailable` when they cannot be read
   */
  leavesOut(): Promise<LeavesOut>;

  /**
   * Opens a file that `list` would return, and no other. The opened file is within the root even when a link is swapped
   * in meanwhile.
   * @param isWhole whether the caller will probably read all bytes: a root may then request them together with the
   *   file's length and mtime
   * @throws TidemarkError `not-found` when there is no such file (any more), it is outside, below a link or is left
   *   out, or a link to one of this program's own; `unavailable` when it cannot be read
   */
  open(path: string, isWhole?: boolean): Promise<RootFile>;

  /**
   * Reads small files with blocking calls, for worker threads: one after the other, in a fraction of the time of
   * `open`. The exclusions are read once for all files, so call this again for every few milliseconds of work. Only
   * some roots have this method.
   * @throws TidemarkError `unavailable` when the exclusions cannot be read
   */
  beginReads?(): Promise<FillFrom>;

  /**
   * The hashes of a listed file, with the length and mtime of the bytes that were hashed. Calls may run concurrently.
   * @throws TidemarkError as `open`, but a file that is excluded meanwhile may still be hashed; `conflict` when the
   *   file was changed while it was read; the signal's reason when it is aborted
   */
  digest(path: string, options?: DigestOptions): Promise<FileDigest>;

  /**
   * Reports changes from now on: each is a path to list again, of a file or a folder; the empty path is the whole root.
   * Every change is reported at least once. A problem with the empty path means that the root has vanished or was
   * replaced, and that nothing more will be reported.
   * @throws TidemarkError `unavailable` when the root does not exist
   */
  watch(onChange: (path: string) => void, onProblem: (problem: RootProblem) => void): Promise<RootWatch>;

  /**
   * A URL by which every client that has it may read the file for a limited time, without this server. Only some roots
   * have this method. A missing file shows only when the URL is fetched.
   * @throws TidemarkError `not-found` when the file is left out
   */
  presign?(path: string, use: PresignedUse): Promise<string>;

  /** Closes what the root holds open; absent when it holds nothing open. */
  close?(): void;
}

/** Progress of a copy: the number of files to compare, and of those read so far. */
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
   * Differs for any two versions of the file's bytes, as far as the root can know without reading them. Without a tag,
   * length and mtime are compared.
   */
  readonly tag?: string;
  /**
   * Nanoseconds since 1970 at which the file or its metadata last changed. Absent where equal tags prove equal bytes.
   * Where it is present, a change within the clock resolution of the file system may leave the tag as it was.
   */
  readonly changed?: bigint;
  /** Bytes that its digest will probably read, when these are not all. */
  readonly toRead?: number;
  readonly problem?: undefined;
}

/** A path that could not be listed: whether it, and anything below it, exists is unknown. */
export interface RootProblem {
  readonly path: string;
  readonly problem: string;
}

/** An open file. Its length, mtime and tag are those of the bytes that will be read. */
export interface RootFile {
  /** Bytes. */
  readonly length: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  /** Differs for different versions of the bytes; the opaque part of an ETag. */
  readonly tag: string;
  /** All bytes, when the root has read them already, as it does with small files. */
  readonly bytes?: Buffer | undefined;
  /**
   * Bytes from `start` to `end`, both inclusive; all without a range. The stream closes the file. It fails with
   * `conflict`, before its last bytes, when the file was changed since it was opened: so no client mistakes a mixture
   * of two versions for one.
   */
  stream(range?: ByteRange): import('node:stream').Readable;
  /**
   * Reads the first bytes of a range into a buffer. Returns how many, at least one. Fails as the stream does. Only some
   * roots have this method.
   */
  readInto?(buffer: Buffer, range: ByteRange): Promise<number>;
  close(): Promise<void>;
}

/**
 * Fills a buffer with the bytes of a file of exactly that length. Returns false when the length differs or for any
 * other deviation: `open` then finds the cause. The file may have been changed, or a folder above it replaced by a
 * link: compare a hash.
 */
export type FillFrom = (path: string, buffer: Uint8Array) => boolean;

export interface DigestOptions {
  readonly signal?: AbortSignal | undefined;
  /** The listed length, in bytes. A root may read small files together; it does not rely on the length. */
  readonly length?: number | undefined;
  /** Requests a copy of the bytes that were hashed. */
  readonly copied?: WantedCopy | undefined;
}

/** Requests a copy of the bytes of a small file. */
export interface WantedCopy {
  /** Largest file to copy, in bytes. Less than a megabyte. */
  readonly mostBytes: number;
  /**
   * Where to write the copy into a pack, for a root that reads files in its own threads; otherwise, and for an empty
   * file, the digest contains the bytes. A copy that cannot be written is `unavailable`, without a path.
   */
  readonly packs?: DraftPlace | undefined;
  /** The SHA-256 of bytes that are not to be packed: the digest contains them. */
  readonly unpacked?: string | undefined;
}

export interface FileDigest {
  /** Bytes. */
  readonly length: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  readonly hashes: Hashes;
  /** As in `FileEntry`. */
  readonly tag?: string;
  /** The media type that was stored with the file; without one, it is derived from the name. */
  readonly mime?: string;
  /** Links that the root knows of. */
  readonly links?: readonly Link[];
  /** The bytes that have these hashes, when a copy was requested. */
  readonly bytes?: Uint8Array;
  /** Where they are, when they were written into a pack instead. */
  readonly packed?: PackedCopy;
}

/** The place of a copy in a pack that was written as a draft. */
export interface PackedCopy {
  /** The name of the draft. */
  readonly draft: string;
  /** Position in bytes in the pack. */
  readonly offset: number;
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
