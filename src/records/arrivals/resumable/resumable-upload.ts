import { TidemarkError } from '../../../core/errors.ts';
import type { HarvestFields, Sender } from '../upload.ts';

/** One file of the sent bytes. */
export interface SentFile {
  readonly name: string;
  /** Bytes; absent until it is known. */
  readonly length?: number | undefined;
}

/**
 * One or several consecutive files that are sent in several requests. They become an upload when the last byte is
 * stored. One with a `set` is filled by a harvest.
 */
export interface ResumableUpload extends HarvestFields {
  /** 32 hexadecimal digits; also the `token` of its upload. */
  readonly id: string;
  readonly organization: string;
  readonly stream: string;
  /** The label that the sender gave the upload. */
  readonly name?: string | undefined;
  /** Who began it. */
  readonly by?: Sender | undefined;
  /** At least one, in the order of their bytes. */
  readonly files: readonly SentFile[];
  /** Bytes of all files together; absent until it is known: an upload may be begun before that. */
  readonly length?: number | undefined;
  /** The client's header `Upload-Metadata`, unchanged; absent for uploads that an earlier version started. */
  readonly metadata?: string | undefined;
  /** Milliseconds without a byte after which it is removed; absent: `KEPT_MS`. */
  readonly keptMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** The number under which it is about to be recorded: a later attempt checks that number first. */
  readonly claim?: number | undefined;
  /** The number under which it was recorded, and the time, in milliseconds since 1970. */
  readonly done?: { readonly number: number; readonly at: number } | undefined;
}

/** The fields of a harvest are for callers within the program: no request sets them. */
export interface NewResumable extends HarvestFields {
  readonly stream?: string | undefined;
  readonly name?: string | undefined;
  readonly by?: Sender | undefined;
  /** The files, in the order in which their bytes are sent. */
  readonly files: readonly SentFile[];
  /** Bytes of all files together; `receive` sets it later for one file whose length is not known yet. */
  readonly length?: number | undefined;
  /** The header `Upload-Metadata`, to be returned unchanged. */
  readonly metadata?: string | undefined;
  /**
   * Milliseconds without a byte after which it is removed, if that is not a day. A harvest may wait for longer between
   * two pages, and keeps its bytes after a failure.
   */
  readonly keptMs?: number | undefined;
}

/** Most unfinished uploads of one organization, without those of harvests. */
export const MOST_UNFINISHED = 100;
/**
 * Characters that the finished uploads of an organization take at most as JSON; some hundred, usually, and never fewer
 * than six.
 */
export const MOST_FINISHED_TEXT = 100_000;
/**
 * Milliseconds without a byte after which a resumable upload is removed. Its number can be requested for the same time,
 * if no more others finish meanwhile than `MOST_FINISHED_TEXT` permits.
 */
export const KEPT_MS = 24 * 3_600_000;
/** Bytes. A bucket accepts a file of little more, in 10,000 parts of 5 MB. */
export const MOST_LENGTH = 50_000_000_000;
/** Characters of the header `Upload-Metadata`: proxies such as nginx accept a header of 8 kB. */
export const MOST_METADATA = 7_500;

/** Milliseconds without a byte after which it is removed. */
export const keptMsOf = ({ keptMs = KEPT_MS }: ResumableUpload): number => keptMs;

/** @throws TidemarkError `invalid` */
export function requireLengths(files: readonly SentFile[], length: number | undefined): void {
  if (length === undefined && files.length === 1 && files[0]!.length === undefined) return;
  if (length === undefined) {
    const message = 'of several files, the length of each is needed before the first byte: send Upload-Length';
    throw new TidemarkError('invalid', message, { field: 'Upload-Length' });
  }
  if (!(Number.isSafeInteger(length) && length >= 0 && length <= MOST_LENGTH)) {
    const message = `the length of a file is a number of bytes from 0 to ${MOST_LENGTH}`;
    throw new TidemarkError('invalid', message, { field: 'Upload-Length' });
  }
  const sum = files.reduce((sum, file) => sum + (file.length ?? 0), 0);
  if (sum === length) return;
  const message = `the files have ${sum} bytes together, and the upload is said to have ${length}`;
  throw new TidemarkError('invalid', message, { field: 'Upload-Length' });
}

export function noSuchResumable(id: string): TidemarkError {
  const message = `there is no resumable upload ${JSON.stringify(id.slice(0, 40))} (any more). If its last byte was sent, it may have become an upload: see the uploads. Otherwise begin another one`;
  return new TidemarkError('not-found', message);
}

export function otherOffset(offset: number, stored: number): TidemarkError {
  const message = `the bytes begin at ${offset}, but ${stored} are stored: ask for the offset, and go on from there`;
  return new TidemarkError('conflict', message, { code: 'other-offset', offset: stored });
}

export function otherLength(length: number, known: number): TidemarkError {
  const message = `the upload cannot have ${length} bytes: it has ${known}`;
  return new TidemarkError('conflict', message, { field: 'Upload-Length' });
}
