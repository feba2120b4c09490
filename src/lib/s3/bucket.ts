import {
  GetObjectCommand,
  type GetObjectCommandInput,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandInput,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { TidemarkError } from '../../core/errors.ts';
import { brokenAnswer, bucketError } from './bucket-errors.ts';
import { type ListedS3Object, type ListedS3Page, readList } from './read-list.ts';
import { createClient, type S3ClientSettings } from './s3-client.ts';
import { describeS3, type S3Location, type S3Use } from './s3-location.ts';

interface PageOptions {
  /** The continuation token of the page before. */
  readonly from?: string | undefined;
  /** Most objects of the page. */
  readonly most?: number;
  readonly delimiter?: string | undefined;
}

/** Reads objects below a prefix of a bucket. Paths are keys without the prefix. */
export class Bucket {
  readonly location: S3Location;
  /** The name in messages. */
  readonly name: string;
  readonly client: S3Client;
  readonly #use: S3Use;

  /** @param use what the location is for, as errors name it */
  constructor(location: S3Location, settings: S3ClientSettings, use: S3Use) {
    this.location = location;
    this.name = describeS3(location);
    this.client = createClient(location, settings);
    this.#use = use;
  }

  close(): void {
    this.client.destroy();
  }

  /**
   * Returns one page of the objects and folders whose paths begin with `start`, in the order of the server.
   * @throws TidemarkError `unavailable`
   */
  async page(start: string, { from, most, delimiter }: PageOptions = {}): Promise<ListedS3Page> {
    const { bucket, prefix } = this.location;
    const command = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix + start,
      // Keys may contain characters that XML does not allow.
      EncodingType: 'url',
      ContinuationToken: from,
      MaxKeys: most,
      Delimiter: delimiter,
    });
    const answer = await this.client.send(command).catch((error: unknown) => {
      throw this.errorOf(error);
    });
    const page = readList(answer, { bucket, prefix: prefix + start });
    if (typeof page === 'string') throw this.brokenAnswer(page);
    return {
      objects: page.objects.map((object) => ({ ...object, key: object.key.slice(prefix.length) })),
      folders: page.folders.map((folder) => folder.slice(prefix.length)),
      next: page.next,
    };
  }

  /**
   * Yields all objects and folders whose paths begin with `start`.
   * @throws TidemarkError `unavailable`
   */
  async *pages(start: string, delimiter?: string): AsyncGenerator<ListedS3Page> {
    for (let from: string | undefined, first = true; first || from !== undefined; first = false) {
      const page: ListedS3Page = await this.page(start, { from, delimiter });
      if (page.next !== undefined && page.next === from) throw this.brokenAnswer('lists the same page again and again');
      from = page.next;
      yield page;
    }
  }

  /** @throws TidemarkError `unavailable` when the bucket does not exist, or cannot be listed */
  async requireExists(): Promise<void> {
    await this.page('', { most: 1 });
  }

  /**
   * Finds one object by listing: unlike the response to a HEAD, the response to a list shows whether the bucket exists.
   * @throws TidemarkError `unavailable`
   */
  async find(path: string): Promise<ListedS3Object | undefined> {
    const [first] = (await this.page(path, { most: 1 })).objects;
    return first?.key === path ? first : undefined;
  }

  /** @throws the client's error */
  get(
    path: string,
    input: Partial<GetObjectCommandInput>,
    signal: AbortSignal | undefined,
  ): Promise<GetObjectCommandOutput> {
    return this.client.send(new GetObjectCommand({ ...this.named(path), ...input }), abortable(signal));
  }

  /** @throws the client's error */
  head(
    path: string,
    input: Partial<HeadObjectCommandInput> = {},
    signal?: AbortSignal,
  ): Promise<HeadObjectCommandOutput> {
    return this.client.send(new HeadObjectCommand({ ...this.named(path), ...input }), abortable(signal));
  }

  /** The parameters of a request that name the object. */
  named(path: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.location.bucket, Key: this.location.prefix + path };
  }

  /** Translates an error of the client that concerns the whole location. */
  errorOf(error: unknown): TidemarkError {
    return bucketError(this.location, this.#use, error);
  }

  /** @param what follows the name of the server */
  brokenAnswer(what: string): TidemarkError {
    return brokenAnswer(this.location, this.#use, what);
  }
}

/** The options with a signal. The client does not accept an option whose value is undefined. */
export function abortable(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}
