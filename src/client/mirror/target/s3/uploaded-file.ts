import { createHash, randomUUID } from 'node:crypto';
import type { UploadedPart, WriteRequests } from '../../../../lib/s3/write-requests.ts';
import type { StagedFile, UnfinishedFile } from '../mirror-target.ts';
import type { UploadJournal } from './upload-journal.ts';

/** A checked content from which an object can be made. */
export interface StagedObject {
  readonly path: string;
  /** A unique id of this file, stored with the object. */
  readonly id: string;
  /** In bytes. */
  readonly length: number;
  readonly content:
    | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
    | { readonly kind: 'parts'; readonly UploadId: string; readonly parts: readonly UploadedPart[] };
}

interface FileParts {
  readonly requests: WriteRequests;
  readonly journal: UploadJournal;
  readonly path: string;
  /** Bytes, if known. */
  readonly length: number | undefined;
  /** Called with the complete file. */
  readonly stage: (object: StagedObject) => StagedFile;
}

/** A file of at most one part stays in memory. So does the part that is being gathered. */
const PART_BYTES = 8 * 1024 * 1024;
/** The most parts of an object on S3. */
const MOST_PARTS = 10_000;
const FIRST_BYTES = 16 * 1024;

/**
 * A file that is written to a bucket. A short file stays in memory. A long one is uploaded in parts, which become an
 * object only when the upload is completed; while a part is sent, the next one is gathered.
 */
export class S3File implements UnfinishedFile {
  readonly #parts: FileParts;
  readonly #id = randomUUID();
  readonly #partBytes: number;
  readonly #uploaded: UploadedPart[] = [];
  #gathered: Buffer;
  #used = 0;
  #length = 0;
  #uploadId: string | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(parts: FileParts) {
    this.#parts = parts;
    this.#partBytes = Math.max(PART_BYTES, Math.ceil((parts.length ?? 0) / MOST_PARTS));
    this.#gathered = Buffer.allocUnsafe(Math.min(parts.length ?? FIRST_BYTES, this.#partBytes));
  }

  write(bytes: Uint8Array): void | Promise<void> {
    this.#length += bytes.length;
    if (this.#used + bytes.length > this.#partBytes) return this.#writeLong(bytes);
    this.#gather(bytes);
  }

  async finish(): Promise<StagedFile> {
    const { path, stage } = this.#parts;
    const object = { path, id: this.#id, length: this.#length };
    const last = this.#gathered.subarray(0, this.#used);
    if (this.#uploadId === undefined) return stage({ ...object, content: { kind: 'bytes', bytes: last } });
    await this.#send(last);
    await this.#translating(this.#sending);
    return stage({ ...object, content: { kind: 'parts', UploadId: this.#uploadId, parts: this.#uploaded } });
  }

  async discard(): Promise<void> {
    await this.#sending.catch(() => {});
    if (this.#uploadId === undefined) return;
    await abortUpload(this.#parts, { path: this.#parts.path, id: this.#id, UploadId: this.#uploadId });
  }

  async #writeLong(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    while (this.#used + rest.length > this.#partBytes) {
      const room = this.#partBytes - this.#used;
      this.#gather(rest.subarray(0, room));
      rest = rest.subarray(room);
      await this.#send(this.#gathered.subarray(0, this.#used));
      this.#gathered = Buffer.allocUnsafe(this.#partBytes);
      this.#used = 0;
    }
    this.#gather(rest);
  }

  /** Copies the bytes, because the caller may reuse its buffer. */
  #gather(bytes: Uint8Array): void {
    const needed = this.#used + bytes.length;
    if (needed > this.#gathered.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(needed, 2 * this.#gathered.length), this.#partBytes));
      this.#gathered.copy(larger, 0, 0, this.#used);
      this.#gathered = larger;
    }
    this.#gathered.set(bytes, this.#used);
    this.#used = needed;
  }

  /** Starts to send a part, once the previous one has been sent. */
  async #send(body: Uint8Array): Promise<void> {
    await this.#translating(this.#sending);
    this.#uploadId ??= await this.#translating(this.#begin());
    const { requests, path } = this.#parts;
    const at = this.#uploaded.length;
    const part = { path, UploadId: this.#uploadId, at, body, md5: md5Of(body) };
    this.#sending = requests.uploadPart(part).then((uploaded) => {
      this.#uploaded.push(uploaded);
    });
    // The next call that waits for it gets the error.
    this.#sending.catch(() => {});
  }

  #begin(): Promise<string> {
    const { journal, requests, path } = this.#parts;
    journal.add(this.#id, path);
    return requests.beginUpload({ path, contentType: undefined, id: this.#id });
  }

  async #translating<Result>(request: Promise<Result>): Promise<Result> {
    try {
      return await request;
    } catch (error) {
      throw this.#parts.requests.bucket.errorOf(error);
    }
  }
}

/**
 * Aborts an upload. If that fails, its entry stays in the journal, and the next process that opens the copy aborts
 * it.
 */
export async function abortUpload(
  { requests, journal }: Pick<FileParts, 'requests' | 'journal'>,
  { path, id, UploadId }: { readonly path: string; readonly id: string; readonly UploadId: string },
): Promise<void> {
  try {
    await requests.abortUpload(path, UploadId);
  } catch {
    return;
  }
  journal.remove(id);
}

/** The MD5 digest for `Content-MD5`. It detects damage, and is not protection against an attacker. */
export const md5Of = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('base64');
