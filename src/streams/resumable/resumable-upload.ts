import { TidemarkError } from '../../core/errors.ts';

/** A file that is sent in several requests, which becomes an upload when its last byte is stored. */
export interface ResumableUpload {
  /** 32 hexadecimal digits; also the `token` of its upload. */
  readonly id: string;
  readonly organization: string;
  readonly stream: string;
  /** What its sender calls the upload. */
  readonly name?: string | undefined;
  readonly fileName: string;
  /** Bytes of the whole file. */
  readonly length: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** The number under which it is about to be recorded: a later attempt looks there first. */
  readonly claim?: number | undefined;
  /** Under which number it was recorded, and when, in milliseconds since 1970. */
  readonly done?: { readonly number: number; readonly at: number } | undefined;
}

/** So many may be unfinished at a time, of one organization. */
export const MOST_UNFINISHED = 100;
/** After so long without a byte, a resumable upload is removed; its number can be asked for as long. */
export const KEPT_MS = 24 * 3_600_000;
/** Bytes. A bucket takes no larger file in the parts that are written. */
export const MOST_LENGTH = 80_000_000_000;

/** @throws TidemarkError `invalid` */
export function requireLength(length: number): void {
  if (Number.isSafeInteger(length) && length >= 0 && length <= MOST_LENGTH) return;
  const message = `the length of a file is a number of bytes from 0 to ${MOST_LENGTH}`;
  throw new TidemarkError('invalid', message, { field: 'Upload-Length' });
}

export function noSuchResumable(id: string): TidemarkError {
  const message = `there is no resumable upload ${JSON.stringify(id.slice(0, 40))} (any more): begin another one`;
  return new TidemarkError('not-found', message);
}
