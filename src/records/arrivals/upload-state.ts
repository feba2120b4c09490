import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import type { DropVerdict } from '../drop.ts';
import type { ReasonCount } from '../errata/reason-counts.ts';
import type { Packing } from '../packages/found-file.ts';
import { type NamedUpload, type Sender, type Upload, type UploadedFile, uploadId } from './upload.ts';

/**
 * The state of an upload: one document beside it, which each step replaces by compare-and-set. What a step has recorded
 * never changes, so an attempt that is late uses the values of the first one; but an upload of which nothing was taken
 * is read again when it is retried.
 */
export interface UploadState {
  /** For an upload by URL: the files that were fetched. */
  readonly fetched?: readonly UploadedFile[];
  /** The contents of its files. Nothing of the upload is published before this is recorded. */
  readonly read?: ReadUpload;
  /** Of a full run: what it deletes, counted before its first event was committed. */
  readonly drop?: CountedDrop;
  /**
   * The watermark of the log before its first event was committed: from here until `applied`, only some of its records
   * may be published.
   */
  readonly applying?: { readonly after: Stamp };
  /** Present when all its events are committed. */
  readonly applied?: AppliedUpload;
  /**
   * A watermark that was read between `applying` and `applied`: dumps with a boundary above it contain the errata. So
   * it is not below the boundary of a dump without the upload, as `applying.after` may be. Absent when an earlier
   * version applied the upload.
   */
  readonly errataAt?: Stamp;
  /** Why the last attempt failed; absent after a successful one. */
  readonly failure?: UploadFailure;
  /**
   * Present when it was removed, before it began to be applied or after it was applied: then no client can read it, and
   * nothing more of it is applied.
   */
  readonly removed?: RemovedUpload;
  /** When its files were deleted, in milliseconds since 1970: its records, as they were read, count in their place. */
  readonly originalsRemoved?: number;
  /**
   * When its records, as they were read, were deleted, in milliseconds since 1970: a later full upload has replaced
   * them, and no current record is stored there. `read` then names no artifact of them.
   */
  readonly recordsRemoved?: number;
  /**
   * Of a delivery that has read a removed upload again: another delivery stores its records anew, and they are not used
   * any more.
   */
  readonly replaced?: ReplacedDelivery;
}

interface ReplacedDelivery {
  /** The number of the delivery that stores its records anew. */
  readonly by: number;
  /** The artifact of its errata, which is to be deleted. */
  readonly errata?: ObjectKey | undefined;
}

export interface RemovedUpload {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly by?: Sender | undefined;
  /** In the words of the person who asked for it. */
  readonly reason: string;
  /** The number of the delivery that removes it. */
  readonly delivery: number;
  /** The artifact of its errata, which is to be deleted. */
  readonly errata?: ObjectKey | undefined;
}

export interface CountedDrop {
  /** Number of records that its set had. */
  readonly existing: number;
  /** Number of those that it did not see, which it deletes. */
  readonly unmentioned: number;
  /** `stop`: they are too many, so it has failed. `warn`: they are many, or too many and accepted. */
  readonly verdict: DropVerdict;
}

export interface ReadUpload {
  /** Milliseconds since 1970, as `AppliedUpload.at` and `UploadFailure.at`. */
  readonly at: number;
  /** In the order in which they count: see in-order.ts. Only the first ones, at most `MOST_FILES_SHOWN`. */
  readonly files: readonly ReadFile[];
  /** Totals of all files. */
  readonly totals: ReadTotals;
  /** Number of files of an unknown kind; absent when there are none, and when an earlier version read the upload. */
  readonly unknownFiles?: number;
  /**
   * Artifact of its records and deletions in the order in which they count, as StreamRecords; absent when there are
   * none.
   */
  readonly records?: ObjectKey;
  /** Hexadecimal, as `errataSha256`; absent when an earlier version read the upload. */
  readonly recordsSha256?: string;
  /** How many errata have the same reason; absent without errata, and when an earlier version read the upload. */
  readonly reasons?: readonly ReasonCount[];
  /** Artifact of all errata, as lines of JSON (Erratum); absent when there are none. */
  readonly errata?: ObjectKey;
  readonly errataSha256?: string;
}

export interface ReadTotals {
  readonly files: number;
  readonly records: number;
  /** Number of ids in lists, and of records that are marked as deleted. */
  readonly deletions: number;
  /** Number of records and lines that could not be read. */
  readonly errors: number;
  /** Number of records that were read with a warning; absent when there are none. */
  readonly warnings?: number;
}

/** How a file was interpreted: a file that was sent, or one in a package. */
export interface ReadFile extends Omit<ReadTotals, 'files'> {
  /** The position, from 1, of the file that was sent. */
  readonly file: number;
  /** Its name; in packages, preceded by the names of the packages. */
  readonly path: readonly string[];
  readonly packing: readonly Packing[];
  readonly kind: string;
  /** Why its kind is unknown, with advice. */
  readonly reason?: string;
}

/** What became of the ids of an upload, each counted once. */
export interface AppliedUpload {
  readonly at: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Number of ids whose state was already the uploaded one. */
  readonly unchanged: number;
  /**
   * Number of deletions of ids that the stream did not have. Absent when an earlier version processed the upload: it
   * counted them as unchanged.
   */
  readonly unknown?: number;
  /** Number of ids that a later upload has set. */
  readonly superseded: number;
  /**
   * Number of records and deletions that a later one of the same upload replaces, since it has the same id. Absent as
   * `unknown`. All numbers together are those of the records and deletions that were read.
   */
  readonly replaced?: number;
  /** Of those, how many each of `ReadUpload.files` has; absent when there are none. */
  readonly replacedInFiles?: readonly number[];
  /** Number of records that a full run did not mention, and deleted; absent for an upload. */
  readonly unmentioned?: number;
}

export interface UploadFailure {
  readonly at: number;
  /** A sentence without a full stop. */
  readonly error: string;
  /** The upload is not tried again, unless a user requests that. */
  readonly isFinal: boolean;
  /** While its file cannot be fetched: see fetch-again.ts. */
  readonly fetchAgain?: FetchAgain | undefined;
}

/** Times in milliseconds since 1970. */
export interface FetchAgain {
  /** Time of the first failure. */
  readonly since: number;
  /** Time of the next attempt. */
  readonly nextAt: number;
}

export const MOST_FILES_SHOWN = 1_000;

/**
 * `waiting`: for a job, also after a failure; `failed`: nothing of it is published; `removed`: no client can read it.
 */
export type UploadStatus = 'waiting' | 'processing' | 'processed' | 'failed' | 'removed';

export function statusOf(state: UploadState | undefined): UploadStatus {
  if (state?.removed !== undefined) return 'removed';
  if (state?.applied !== undefined) return 'processed';
  if (state?.failure !== undefined) return state.failure.isFinal ? 'failed' : 'waiting';
  return state === undefined ? 'waiting' : 'processing';
}

/** Whether only some of its records may be published. */
export function isPartlyApplied({ applying, applied }: Pick<UploadState, 'applying' | 'applied'>): boolean {
  return applying !== undefined && applied === undefined;
}

/** Its files as they arrived; those of an upload by URL are known once they were fetched. None when it was removed. */
export function filesOf({ files }: Pick<Upload, 'files'>, state: UploadState | undefined): readonly UploadedFile[] {
  return state?.removed === undefined ? storedFilesOf({ files }, state) : [];
}

/** The same, also when it was removed: they are to be deleted. */
export function storedFilesOf(
  { files }: Pick<Upload, 'files'>,
  state: Pick<UploadState, 'fetched'> | undefined,
): readonly UploadedFile[] {
  return state?.fetched ?? files;
}

/** The error of each use of an upload that was removed. */
export function wasRemoved(
  { organization, stream, number }: NamedUpload,
  { at, reason, delivery }: RemovedUpload,
): TidemarkError {
  const time = new Date(at).toISOString();
  const message = `the upload ${organization}/${stream}/${number} was removed at ${time}: ${reason}`;
  return new TidemarkError('gone', message, { organization, stream, upload: number, delivery });
}

export type StoredUploadState = CatalogDocument<UploadState>;

export function readUploadState(
  catalog: Pick<Catalog, 'get'>,
  { organization, stream, number }: NamedUpload,
): Promise<StoredUploadState | undefined> {
  return catalog.get<UploadState>('upload-state', uploadId(organization, stream, number));
}

/** @throws TidemarkError `conflict` when another process has replaced the state */
export async function putUploadState(
  catalog: Pick<Catalog, 'put'>,
  { organization, stream, number }: NamedUpload,
  { body, before }: { readonly body: UploadState; readonly before: StoredUploadState | undefined },
): Promise<StoredUploadState> {
  const id = uploadId(organization, stream, number);
  return { id, version: await catalog.put('upload-state', id, body, before?.version), body };
}
