import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { abortable, type Bucket } from './bucket.ts';
import { failureOf } from './s3-failure.ts';

/**
 * The metadata of an object for the id of the `put` that wrote it. After a lost response, a writer can check whether
 * its request succeeded.
 */
const WRITTEN_BY = 'tidemark-upload';

export interface NewObject {
  /** The path below the prefix. */
  readonly path: string;
  readonly contentType: string | undefined;
  /** A unique id of this `put`. */
  readonly id: string;
  /** Whether an existing object may be replaced. */
  readonly restores?: boolean | undefined;
  /** The MD5 digest of the body of a `put`, as for a part. */
  readonly md5?: string | undefined;
}

export interface UploadedPart {
  readonly PartNumber: number;
  readonly ETag: string;
}

interface PartToUpload {
  readonly path: string;
  readonly UploadId: string;
  /** From 0. */
  readonly at: number;
  readonly body: Uint8Array;
  /** In base64, as for `Content-MD5`: the server then rejects bytes that were damaged on the way. */
  readonly md5?: string | undefined;
}

interface UploadToComplete {
  readonly path: string;
  readonly UploadId: string;
  readonly parts: readonly UploadedPart[];
  readonly restores?: boolean | undefined;
}

interface OpenUpload {
  readonly path: string;
  readonly uploadId: string;
  /** Milliseconds since 1970. */
  readonly begun: number;
}

/**
 * Requests that write objects below the prefix of a bucket. They throw the client's own errors. Requests that create an
 * object fail with status 412 when the key exists.
 */
export class WriteRequests {
  readonly bucket: Bucket;

  constructor(bucket: Bucket) {
    this.bucket = bucket;
  }

  /**
   * The id of the `put` that wrote an object; undefined when the object does not exist, or another program wrote
   * it.
   */
  async writerOf(path: string): Promise<string | undefined> {
    const head = await this.bucket.head(path).catch((error: unknown) => {
      if (failureOf(error).status === 404) return undefined;
      throw error;
    });
    return head?.Metadata?.[WRITTEN_BY];
  }

  async put(object: NewObject, body: Uint8Array, signal?: AbortSignal): Promise<void> {
    const command = new PutObjectCommand({
      ...this.#created(object),
      Body: body,
      ContentLength: body.length,
      ...checkedBy(object),
      ...unlessTaken(object),
    });
    const { ETag } = await this.bucket.client.send(command, abortable(signal));
    if (ETag === undefined) throw this.bucket.brokenAnswer('did not confirm that it stored an object');
  }

  /** Deletes an object if it exists. */
  async delete(path: string): Promise<void> {
    await this.bucket.client.send(new DeleteObjectCommand(this.bucket.named(path)));
  }

  async beginUpload(object: NewObject, signal?: AbortSignal): Promise<string> {
    const command = new CreateMultipartUploadCommand(this.#created(object));
    const { UploadId } = await this.bucket.client.send(command, abortable(signal));
    if (UploadId === undefined) throw this.bucket.brokenAnswer('did not begin an upload');
    return UploadId;
  }

  async uploadPart({ path, UploadId, at, body, md5 }: PartToUpload, signal?: AbortSignal): Promise<UploadedPart> {
    const PartNumber = at + 1;
    const command = new UploadPartCommand({
      ...this.bucket.named(path),
      UploadId,
      PartNumber,
      Body: body,
      ContentLength: body.length,
      ...checkedBy({ md5 }),
    });
    const { ETag } = await this.bucket.client.send(command, abortable(signal));
    if (ETag === undefined) throw this.bucket.brokenAnswer('did not confirm that it stored a part');
    return { PartNumber, ETag };
  }

  async completeUpload({ path, UploadId, parts, restores }: UploadToComplete, signal?: AbortSignal): Promise<void> {
    const command = new CompleteMultipartUploadCommand({
      ...this.bucket.named(path),
      UploadId,
      MultipartUpload: { Parts: parts.toSorted((one, other) => one.PartNumber - other.PartNumber) },
      ...unlessTaken({ restores }),
    });
    const { ETag } = await this.bucket.client.send(command, abortable(signal));
    if (ETag === undefined) throw this.bucket.brokenAnswer('did not confirm that it completed an upload');
  }

  async abortUpload(path: string, UploadId: string): Promise<void> {
    await this.bucket.client.send(new AbortMultipartUploadCommand({ ...this.bucket.named(path), UploadId }));
  }

  /** Lists multipart uploads in progress whose paths begin with `start`, at most a thousand. */
  async openUploads(start = ''): Promise<readonly OpenUpload[]> {
    const { bucket, prefix } = this.bucket.location;
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix + start });
    const { Uploads = [] } = await this.bucket.client.send(command);
    return Uploads.filter(({ Key }) => Key?.startsWith(prefix + start)).map(({ Key, UploadId, Initiated }) => ({
      path: Key!.slice(prefix.length),
      uploadId: UploadId ?? '',
      begun: Initiated?.getTime() ?? Number.NaN,
    }));
  }

  #created({ path, contentType, id }: NewObject) {
    return {
      ...this.bucket.named(path),
      Metadata: { [WRITTEN_BY]: id },
      ...(contentType !== undefined && { ContentType: contentType }),
    };
  }
}

function checkedBy({ md5 }: Pick<NewObject, 'md5'>): { readonly ContentMD5?: string } {
  return md5 === undefined ? {} : { ContentMD5: md5 };
}

function unlessTaken({ restores }: Pick<NewObject, 'restores'>): { readonly IfNoneMatch?: '*' } {
  return restores ? {} : { IfNoneMatch: '*' };
}
