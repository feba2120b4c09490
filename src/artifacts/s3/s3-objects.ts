import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { type ListedS3Page, readList } from '../../lib/s3/read-list.ts';
import { createClient, type S3ClientSettings } from '../../lib/s3/s3-client.ts';
import type { S3Location } from '../../lib/s3/s3-location.ts';
import { brokenAnswer, storeError } from './s3-errors.ts';

/** Under which an object says by which `put` it was written, so that a lost answer can be found out. */
const WRITTEN_BY = 'tidemark-upload';

export interface NewObject {
  /** Below the prefix. */
  readonly path: string;
  readonly contentType: string | undefined;
  /** Of this `put` alone. */
  readonly id: string;
}

export interface UploadedPart {
  readonly PartNumber: number;
  readonly ETag: string;
}

/** Requests about the objects below a prefix. What they throw is the client's own error: see s3-errors.ts. */
export class S3Objects {
  readonly location: S3Location;
  readonly #client: S3Client;

  constructor(location: S3Location, settings: S3ClientSettings) {
    this.location = location;
    this.#client = createClient(location, settings);
  }

  close(): void {
    this.#client.destroy();
  }

  /** @throws TidemarkError `unavailable` */
  async page(start: string, { from, most, delimiter }: PageOptions = {}): Promise<ListedS3Page> {
    const { bucket: Bucket, prefix } = this.location;
    const command = new ListObjectsV2Command({
      Bucket,
      Prefix: prefix + start,
      EncodingType: 'url',
      ContinuationToken: from,
      MaxKeys: most,
      Delimiter: delimiter,
    });
    const answer = await this.#client.send(command).catch((error: unknown) => {
      throw storeError(this.location, error);
    });
    const page = readList(answer, { bucket: Bucket, prefix: prefix + start });
    if (typeof page === 'string') throw brokenAnswer(this.location, page);
    return {
      objects: page.objects.map((object) => ({ ...object, key: object.key.slice(prefix.length) })),
      folders: page.folders.map((folder) => folder.slice(prefix.length)),
      next: page.next,
    };
  }

  /** @throws TidemarkError `unavailable` */
  async *pages(start: string, delimiter?: string): AsyncGenerator<ListedS3Page> {
    for (let from: string | undefined, first = true; first || from !== undefined; first = false) {
      const page: ListedS3Page = await this.page(start, { from, delimiter });
      if (page.next !== undefined && page.next === from)
        throw brokenAnswer(this.location, 'tells the same page again and again');
      from = page.next;
      yield page;
    }
  }

  /** @param range as the header has it */
  get(path: string, range: string | undefined, signal?: AbortSignal): Promise<GetObjectCommandOutput> {
    return this.#client.send(new GetObjectCommand({ ...this.#named(path), Range: range }), abortable(signal));
  }

  /** The id of the `put` that wrote an object; undefined when it is not there, or somebody else wrote it. */
  async writerOf(path: string): Promise<string | undefined> {
    const head = await this.#client.send(new HeadObjectCommand(this.#named(path))).catch((error: unknown) => {
      if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404) return undefined;
      throw error;
    });
    return head?.Metadata?.[WRITTEN_BY];
  }

  async put(object: NewObject, body: Uint8Array, { onlyNew, signal }: PutOptions): Promise<void> {
    const command = new PutObjectCommand({
      ...this.#created(object),
      Body: body,
      ContentLength: body.length,
      ...(onlyNew && { IfNoneMatch: '*' }),
    });
    const { ETag } = await this.#client.send(command, abortable(signal));
    if (ETag === undefined) throw brokenAnswer(this.location, 'did not say that it took an object');
  }

  /** For an object that may be gone already. */
  async delete(path: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#named(path)));
  }

  async beginUpload(object: NewObject, signal?: AbortSignal): Promise<string> {
    const { UploadId } = await this.#client.send(
      new CreateMultipartUploadCommand(this.#created(object)),
      abortable(signal),
    );
    if (UploadId === undefined) throw brokenAnswer(this.location, 'did not begin an upload');
    return UploadId;
  }

  async uploadPart({ path, UploadId, at, body }: PartToUpload, signal?: AbortSignal): Promise<UploadedPart> {
    const PartNumber = at + 1;
    const command = new UploadPartCommand({
      ...this.#named(path),
      UploadId,
      PartNumber,
      Body: body,
      ContentLength: body.length,
    });
    const { ETag } = await this.#client.send(command, abortable(signal));
    if (ETag === undefined) throw brokenAnswer(this.location, 'did not say that it took a part');
    return { PartNumber, ETag };
  }

  async completeUpload({ path, UploadId, parts }: UploadToComplete, { onlyNew, signal }: PutOptions): Promise<void> {
    const command = new CompleteMultipartUploadCommand({
      ...this.#named(path),
      UploadId,
      MultipartUpload: { Parts: parts.toSorted((one, other) => one.PartNumber - other.PartNumber) },
      ...(onlyNew && { IfNoneMatch: '*' }),
    });
    const { ETag } = await this.#client.send(command, abortable(signal));
    if (ETag === undefined) throw brokenAnswer(this.location, 'did not say that it put an upload together');
  }

  async abortUpload(path: string, UploadId: string): Promise<void> {
    await this.#client.send(new AbortMultipartUploadCommand({ ...this.#named(path), UploadId }));
  }

  /** Uploads below the prefix that are neither completed nor aborted, a thousand at most. */
  async openUploads(): Promise<readonly OpenUpload[]> {
    const { bucket: Bucket, prefix } = this.location;
    const { Uploads = [] } = await this.#client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix }));
    return Uploads.filter(({ Key }) => Key?.startsWith(prefix)).map(({ Key, UploadId, Initiated }) => ({
      path: Key!.slice(prefix.length),
      uploadId: UploadId ?? '',
      begun: Initiated?.getTime() ?? Number.NaN,
    }));
  }

  #created({ path, contentType, id }: NewObject) {
    return {
      ...this.#named(path),
      Metadata: { [WRITTEN_BY]: id },
      ...(contentType !== undefined && { ContentType: contentType }),
    };
  }

  #named(path: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.location.bucket, Key: this.location.prefix + path };
  }
}

interface PageOptions {
  readonly from?: string | undefined;
  readonly most?: number;
  readonly delimiter?: string | undefined;
}

interface PutOptions {
  /** Whether the server is to refuse it where there is an object already. */
  readonly onlyNew: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface PartToUpload {
  readonly path: string;
  readonly UploadId: string;
  /** From 0. */
  readonly at: number;
  readonly body: Uint8Array;
}

interface UploadToComplete {
  readonly path: string;
  readonly UploadId: string;
  readonly parts: readonly UploadedPart[];
}

export interface OpenUpload {
  readonly path: string;
  readonly uploadId: string;
  /** Milliseconds since 1970. */
  readonly begun: number;
}

/** An option that is absent must not be there at all. */
function abortable(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}
