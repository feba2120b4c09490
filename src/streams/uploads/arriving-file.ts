import type { ArtifactBody } from '../../artifacts/artifact-store.ts';
import type { UploadedFile } from './upload.ts';

/** What is known of an upload of one file when its first byte comes. */
export interface ArrivingUpload {
  readonly organization: string;
  /** The default stream, when it is not known yet. */
  readonly stream?: string | undefined;
  /** The next one of the stream, when it is not known yet. */
  readonly number?: number | undefined;
  readonly fileName: string;
}

/** Reads files while they arrive: processing/early-reader.ts. */
export interface ArrivingFiles {
  /** Undefined in a process that runs no jobs. */
  begin(upload: ArrivingUpload): ArrivingFile | undefined;
}

/** A file that is read while it arrives. No call waits, and none fails: the file is read later all the same. */
export interface ArrivingFile {
  /** How many bytes came. */
  readonly bytes: number;
  /** Takes the next bytes, which must not change afterwards. */
  push(chunk: Uint8Array): void;
  /** It is whole, and stored. */
  end(file: UploadedFile): void;
  /** Its upload fails, or has several files. Nothing of what was read stays. */
  drop(): void;
}

/** The same chunks; each is also pushed when it is asked for. */
export function alsoTo(arriving: ArrivingFile | undefined, body: ArtifactBody): ArtifactBody {
  return arriving === undefined ? body : pushed(arriving, body);
}

async function* pushed(arriving: ArrivingFile, body: ArtifactBody): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    arriving.push(chunk);
    yield chunk;
  }
}
