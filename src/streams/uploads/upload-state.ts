import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import type { FileKind, Packing } from '../files/found-file.ts';
import { type NamedUpload, type Upload, type UploadedFile, uploadId } from './upload.ts';

/**
 * How far an upload has come: one document beside it, which each step replaces by compare-and-set. What a step has
 * recorded never changes, so an attempt that comes too late takes what the first one has recorded.
 */
export interface UploadState {
  /** Of an upload by URL: what was fetched. */
  readonly fetched?: readonly UploadedFile[];
  /** What its files have. Nothing of it is published before. */
  readonly read?: ReadUpload;
  /**
   * The log when its first event was about to be committed: from here until `applied`, some of its records may be
   * published and others not yet.
   */
  readonly applying?: { readonly after: Stamp };
  /** All its events are committed. */
  readonly applied?: AppliedUpload;
  /** Why the last attempt failed; absent when there was a later one that did not. */
  readonly failure?: UploadFailure;
}

export interface ReadUpload {
  /** Milliseconds since 1970, as `AppliedUpload.at` and `UploadFailure.at`. */
  readonly at: number;
  /** In the order in which they count: see in-order.ts. The first ones, at most `MOST_FILES_SHOWN`. */
  readonly files: readonly ReadFile[];
  /** Of all files. */
  readonly totals: ReadTotals;
  /** Its records and deletions in the order in which they count, as StreamRecords; absent when there are none. */
  readonly records?: ObjectKey;
  /** Every erratum, a line of JSON each (UploadErratum); absent when there are none. */
  readonly errata?: ObjectKey;
}

export interface ReadTotals {
  readonly files: number;
  readonly records: number;
  /** Ids of lists, and records that are marked as deleted. */
  readonly deletions: number;
  readonly errors: number;
}

/** What a file was taken for: one that was sent, or one in a package. */
export interface ReadFile extends Omit<ReadTotals, 'files'> {
  /** The position, from 1, of the file that was sent. */
  readonly file: number;
  /** Its name; in packages, the names of the packages before. */
  readonly path: readonly string[];
  readonly packing: readonly Packing[];
  readonly kind: FileKind;
  /** Why its kind is unknown, and what to do. */
  readonly reason?: string;
}

/** A line of the file of errata. */
export interface UploadErratum {
  /** The position, from 1, of the file that was sent. */
  readonly file: number;
  readonly path: readonly string[];
  /** The number of the record, or of the line, from 1. */
  readonly ordinal: number;
  /** Bytes before it, unpacked. */
  readonly offset: number;
  readonly id?: string;
  readonly reason: string;
}

/** What became of the ids of an upload, each once. */
export interface AppliedUpload {
  readonly at: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Those that were as the upload says already. */
  readonly unchanged: number;
  /** Those that a later upload has touched. */
  readonly superseded: number;
}

export interface UploadFailure {
  readonly at: number;
  /** A sentence without a full stop. */
  readonly error: string;
  /** It is not tried again, unless a person asks for it. */
  readonly isFinal: boolean;
}

export const MOST_FILES_SHOWN = 1_000;

/** `waiting`: for a job, also after a failure; `failed`: nothing of it is published. */
export type UploadStatus = 'waiting' | 'processing' | 'processed' | 'failed';

export function statusOf(state: UploadState | undefined): UploadStatus {
  if (state?.applied !== undefined) return 'processed';
  if (state?.failure !== undefined) return state.failure.isFinal ? 'failed' : 'waiting';
  return state === undefined ? 'waiting' : 'processing';
}

/** Whether some of its records may be published, and others not yet. */
export function isPartlyApplied({ applying, applied }: Pick<UploadState, 'applying' | 'applied'>): boolean {
  return applying !== undefined && applied === undefined;
}

/** Its files as they came: those of an upload by URL are known when they were fetched. */
export function filesOf({ files }: Pick<Upload, 'files'>, state: UploadState | undefined): readonly UploadedFile[] {
  return state?.fetched ?? files;
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
