import type { HashAlgorithm } from '../core/hash.ts';
import type { RootPatterns } from '../lib/glob/exclusions.ts';
import type { S3ClientSettings } from '../lib/s3/s3-client.ts';
import type { MirrorSettings } from './mirror-settings.ts';

export interface RootLocation extends RootPatterns {
  /** A folder's absolute path, or `s3://bucket/prefix` (lib/s3/s3-location.ts). */
  readonly root: string;
  /** Hash algorithms that every digest must contain: for the files of a folder, in addition to sha-256. */
  readonly hashes?: readonly HashAlgorithm[];
  /** For a folder: milliseconds after which it is listed again although no change was noticed. */
  readonly scanIntervalMs?: number | undefined;
  /**
   * For a folder: whether opening a file may block the thread, on any file system. Only for dedicated threads: it takes
   * a fifth of the time.
   */
  readonly blocks?: boolean | undefined;
  /** For a bucket: the folder in which its list is sorted; by default the temporary folder of the system. */
  readonly scratchFolder?: string | undefined;
  /** For a root that is a copy: the source that it copies. */
  readonly copyOf?: MirrorSettings | undefined;
  /** For roots on S3. */
  readonly s3?: S3Settings | undefined;
}

export interface S3Settings extends S3ClientSettings {
  /** Milliseconds between two lists of a bucket. */
  readonly pollIntervalMs: number;
}
