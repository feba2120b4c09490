import type { Hashes } from '../core/hash.ts';
import type { ManifestFile, PlatformFile, StoredBytes, StrategyName } from './manifest.ts';
import type { PlatformDataset } from './platform.ts';
import type { IngestOptions } from './request.ts';

/** Stores what a manifest names (D25, D26, D30): strategies/ has file, fileset and bundle, each over a backend. */
export interface StrategyArchiver {
  /** What the backend has of the dataset already; undefined when all has to be stored. */
  checkExisting(job: ArchivingJob): Promise<ArchivedDataset | undefined>;
  /**
   * Fetches, hashes, compares and stores. When a file fails, the others that have begun are finished, no further one
   * begins, and nothing is published: `files` says what became of each.
   * @throws IngestFailure for the dataset as a whole; TidemarkError when this program's own store fails; the signal's
   *   reason
   */
  process(job: ArchivingJob): Promise<ArchivedDataset>;
}

export interface ArchivingJob {
  readonly dataset: PlatformDataset;
  readonly strategy: StrategyName;
  /** As folderOf makes it. */
  readonly folder: string;
  /** 8 hexadecimal digits, random: artifacts of several attempts do not meet. */
  readonly attempt: string;
  readonly options: IngestOptions;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ArchivingProgress) => void;
}

export interface ArchivingProgress {
  readonly files: number;
  /** Undefined before they are known, as those of a bundle. */
  readonly totalFiles: number | undefined;
  readonly bytes: number;
  readonly totalBytes: number | undefined;
}

export interface ArchivedDataset {
  /** `success`, or the status of the first file that failed. */
  readonly status: ManifestFile['status'];
  /** Of the first file that failed: names it, and says what to do. */
  readonly message?: string;
  readonly files: readonly ManifestFile[];
  readonly bundle?: ManifestFile;
  readonly itemName?: string;
  readonly itemBundlePath?: string;
}

/**
 * Where files are stored (D06): of `web`, a WARC of our own, or Save Page Now 2 and CDX; of `archiveorg`, an item of
 * our own, or IAS3 and the metadata API. test/contract/dataset-backend.ts tests these promises.
 */
export interface DatasetBackend {
  readonly kind: 'web' | 'archiveorg';
  /** Begins to store a dataset, or goes on where an attempt before ended. @throws IngestFailure `item-conflict` */
  open(job: ArchivingJob): Promise<BackendSession>;
}

/** Storing one dataset. A caller ends it by `finish` or by `abandon`. */
export interface BackendSession {
  readonly itemName?: string;
  /**
   * The copy of a file that is stored already, by an attempt before or as a whole item: nothing is requested from the
   * platform. Undefined when there is none, or when it differs from what the platform says.
   * @param number of the file in the manifest, from 1; 0 for the bundle
   */
  existing(file: PlatformFile, number: number): Promise<StoredCopy | undefined>;
  /**
   * Fetches a file and stores it with its hashes. Several may be stored at the same time. Says what came: the caller
   * compares it with what the platform says.
   * @throws IngestFailure `file-not-fetched`, `blocked-challenge`, `too-large-size` …
   */
  store(file: PlatformFile, number: number, onBytes: (count: number) => void): Promise<StoredCopy>;
  /** Removes a copy that differs from what the platform says, and is not accepted. */
  discard(copy: StoredCopy): Promise<void>;
  /** Makes all copies durable, and returns where each is: by number. */
  finish(): Promise<ReadonlyMap<number, StoredCopy>>;
  /** Frees what it has on a disk. Copies that are durable stay for the next attempt, until they are removed unused. */
  abandon(): Promise<void>;
}

export interface StoredCopy {
  readonly number: number;
  /** Bytes. */
  readonly size: number;
  /** Only an item that archive.org has already is without sha-256, which its metadata lacks. */
  readonly hashes: Hashes & Readonly<Record<'md5' | 'sha-1', string>>;
  /** Other digests that the platform states, such as sha512, by its name. */
  readonly otherHashes?: Readonly<Record<string, string>>;
  readonly mimetype?: string;
  readonly terminalUrl?: string;
  /** 14 digits. */
  readonly terminalDt?: string;
  /** Absent where a remote backend has it. */
  readonly stored?: StoredBytes;
  /** Reads a range of its bytes again, such as a file in a bundle; until `finish` or `abandon`. */
  read?(start: number, length: number): AsyncIterable<Uint8Array>;
}
