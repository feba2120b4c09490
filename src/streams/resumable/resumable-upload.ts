import { TidemarkError } from '../../core/errors.ts';

/** A file that is a part of what is sent. */
export interface SentFile {
  readonly name: string;
  /** Bytes. */
  readonly length: number;
}

/**
 * A file, or several, one behind the other, that are sent in several requests. They become an upload when the last byte
 * is stored.
 */
export interface ResumableUpload {
  /** 32 hexadecimal digits; also the `token` of its upload. */
  readonly id: string;
  readonly organization: string;
  readonly stream: string;
  /** What its sender calls the upload. */
  readonly name?: string | undefined;
  /** One or more, in the order of their bytes. */
  readonly files: readonly SentFile[];
  /** Bytes of all files. */
  readonly length: number;
  /** The header `Upload-Metadata` of the client, as it was; uploads that an earlier version began have none. */
  readonly metadata?: string | undefined;
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
/** Characters of the header `Upload-Metadata`: proxies such as nginx take a header of 8 kB. */
export const MOST_METADATA = 7_500;

/** @throws TidemarkError `invalid` */
export function requireLengths(files: readonly SentFile[], length: number): void {
  if (!(Number.isSafeInteger(length) && length >= 0 && length <= MOST_LENGTH)) {
    const message = `the length of a file is a number of bytes from 0 to ${MOST_LENGTH}`;
    throw new TidemarkError('invalid', message, { field: 'Upload-Length' });
  }
  const sum = files.reduce((sum, file) => sum + file.length, 0);
  if (sum === length) return;
  const message = `the files have ${sum} bytes together, and the upload is said to have ${length}`;
  throw new TidemarkError('invalid', message, { field: 'Upload-Length' });
}

export function noSuchResumable(id: string): TidemarkError {
  const message = `there is no resumable upload ${JSON.stringify(id.slice(0, 40))} (any more): begin another one`;
  return new TidemarkError('not-found', message);
}
