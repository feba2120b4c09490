import type { ArtifactBody } from '../../artifacts/artifact-store.ts';
import { freeBytes } from '../../lib/free-bytes.ts';
import type { UploadedFile } from './upload.ts';

/** What is known of an upload of one file when its first byte arrives. */
export interface ArrivingUpload {
  readonly organization: string;
  /** Absent when it is not known yet: the default stream is assumed. */
  readonly stream?: string | undefined;
  /** Absent when it is not known yet: the next number of the stream is assumed. */
  readonly number?: number | undefined;
  readonly fileName: string;
}

/** Reads files while they arrive: processing/early-reader.ts. */
export interface ArrivingFiles {
  /** Undefined in a process that runs no jobs. */
  begin(upload: ArrivingUpload): ArrivingFile | undefined;
}

/** A file that is read while it arrives. No call waits or fails: if reading fails, the file is read later. */
export interface ArrivingFile {
  /** Number of bytes that have arrived. */
  readonly bytes: number;
  /** Whether it reads no more, and what it has read is not used. */
  readonly isDropped: boolean;
  /** Takes the next bytes. Returns whether it keeps them: they must not change afterwards then. */
  push(chunk: Uint8Array): boolean;
  /** The file is complete and stored. */
  end(file: UploadedFile): void;
  /** Its upload has failed, or has several files. Everything that was read is removed. */
  drop(): void;
}

/**
 * Returns the same chunks; each is also pushed to `arriving` when it is requested. Its memory is freed at the next
 * request, unless `arriving` keeps it.
 */
export async function* alsoTo(arriving: ArrivingFile | undefined, body: ArtifactBody): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    const isKept = arriving?.push(chunk) === true;
    yield chunk;
    if (!isKept) freeBytes(chunk);
  }
}
