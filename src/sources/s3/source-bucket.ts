import type { Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandInput,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash.ts';
import { isMediaType } from '../../core/media-type.ts';
import { Bucket } from '../../lib/s3/bucket.ts';
import type { ListedS3Object } from '../../lib/s3/read-list.ts';
import { createClient } from '../../lib/s3/s3-client.ts';
import type { S3Location } from '../../lib/s3/s3-location.ts';
import type { ByteRange, PresignedUse } from '../content-root.ts';
import { changedMeanwhile } from '../file-errors.ts';
import type { S3Settings } from '../root-location.ts';
import { isForbidden, objectError } from './object-error.ts';
import { knownHashes } from './object-hashes.ts';

/** An object, or one version of it. Times are whole seconds, because not every response of a server is more precise. */
export interface S3Object {
  /** Path relative to the prefix of the root. */
  readonly path: string;
  /** Bytes. */
  readonly length: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  /** Without quotation marks; undefined when the server has none. */
  readonly etag: string | undefined;
}

export interface KnownObject extends S3Object {
  /** The media type that was stored with the object. */
  readonly mime: string | undefined;
  /** Hashes that are known without reading the object. */
  readonly hashes: Hashes;
}

interface S3Page {
  readonly objects: readonly S3Object[];
  readonly isLast: boolean;
}

/** Media types that servers report for an object that was stored without one. */
const NO_TYPES = new Set(['application/octet-stream', 'binary/octet-stream', 'application/x-directory']);

/** Reads the objects of a source below a prefix. Errors are those of the port, and contain no keys. */
export class SourceBucket {
  readonly bucket: Bucket;
  readonly #publicClient: S3Client;

  constructor(location: S3Location, settings: S3Settings) {
    const { publicEndpoint } = location;
    this.bucket = new Bucket(location, settings, 'root');
    this.#publicClient =
      publicEndpoint === undefined ? this.bucket.client : createClient(location, settings, publicEndpoint);
  }

  /** Closes the connections. Running reads continue with new ones. */
  close(): void {
    this.bucket.close();
    this.#publicClient.destroy();
  }

  /** Every object whose path begins with `start`, page by page. */
  async *pages(start: string): AsyncGenerator<readonly S3Object[]> {
    for await (const { objects } of this.bucket.pages(start)) yield objects.map(toObject);
  }

  /** The first objects whose paths begin with `start`, in the order of the server. */
  async firstPage(start: string): Promise<S3Page> {
    const { objects, next } = await this.bucket.page(start);
    return { objects: objects.map(toObject), isLast: next === undefined };
  }

  /** @throws TidemarkError `unavailable` when there is no such bucket, or it cannot be listed */
  requireExists(): Promise<void> {
    return this.bucket.requireExists();
  }

  /**
   * Whether a list contains the object now. For a key with characters that XML cannot contain, some servers list U+FFFD
   * instead, and do not find the object by that.
   * @throws TidemarkError `unavailable`
   */
  async isListed(path: string): Promise<boolean> {
    const start = path.split('\ufffd')[0]!;
    for await (const { objects } of this.bucket.pages(start)) {
      if (objects.some(({ key }) => key === path)) return true;
      // The object would be the first one.
      if (start === path) return false;
    }
    return false;
  }

  /** @throws TidemarkError as `ContentRoot.open` */
  async head(path: string, signal?: AbortSignal): Promise<KnownObject> {
    try {
      const head = await this.bucket.head(path, { ChecksumMode: 'ENABLED' }, signal);
      return this.#readHead(path, head);
    } catch (error) {
      throw await this.#explain(path, error, signal);
    }
  }

  /**
   * An object as it is now, with all its bytes as they arrive: one request. The bytes may end early.
   * @throws TidemarkError as `ContentRoot.open`
   */
  async get(path: string): Promise<{ readonly object: S3Object; readonly body: Readable }> {
    const answer = await this.#get(path, undefined, {});
    const body = answer.Body as Readable;
    // The reader gets the error; without a listener, an error that comes earlier would end the process.
    body.on('error', () => {});
    try {
      if (answer.ContentRange !== undefined) throw this.bucket.brokenAnswer('sends a range that it was not asked for');
      return { object: this.#figuresOf(path, answer), body };
    } catch (error) {
      body.destroy();
      throw error;
    }
  }

  /**
   * The bytes of exactly this version of an object.
   * @throws TidemarkError `conflict` when the object has another version now; otherwise as `ContentRoot.open`
   */
  async read(object: S3Object, { start, end }: ByteRange, signal: AbortSignal): Promise<Readable> {
    const { path, length, etag, mtime } = object;
    const isWhole = start === 0 && end === length - 1;
    const answer = await this.#get(path, signal, {
      ...(etag !== undefined && { IfMatch: `"${etag}"` }),
      ...(!isWhole && { Range: `bytes=${start}-${end}` }),
    });
    const body = answer.Body as Readable;
    const isSame = etag === undefined ? secondsOf(answer.LastModified) === mtime : tagOf(answer.ETag) === etag;
    // Not every server supports conditions and ranges.
    const hasRange = isWhole
      ? answer.ContentLength === length
      : answer.ContentRange === `bytes ${start}-${end}/${length}`;
    if (isSame && hasRange) return body;
    body.on('error', () => {}).destroy();
    throw isSame && !isWhole
      ? this.bucket.brokenAnswer('does not send the range that it is asked for')
      : changedMeanwhile(path);
  }

  /**
   * A small object as text; undefined when it does not exist. A denial is an error of the whole bucket, since the
   * object may not exist.
   * @throws TidemarkError `unavailable` also when it has more than `mostBytes` bytes, whatever length the server states
   */
  async readText(path: string, mostBytes: number): Promise<string | undefined> {
    try {
      const { Body } = await this.bucket.get(path, {}, undefined);
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of Body as Readable) {
        bytes += chunk.length;
        // Leaving the loop ends the connection.
        if (bytes > mostBytes) throw tooLarge(path, mostBytes);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString('utf8');
    } catch (error) {
      const explained = await this.#explain(path, error, undefined);
      if (isTidemarkError(explained, 'not-found')) return undefined;
      throw isForbidden(error) ? this.bucket.errorOf(error) : explained;
    }
  }

  /** @throws TidemarkError `invalid` for a root without credentials */
  async presign(path: string, { method, expires }: PresignedUse): Promise<string> {
    if (this.bucket.location.anonymous)
      throw new TidemarkError('invalid', 'a root that is read without credentials cannot sign URLs');
    const named = this.bucket.named(path);
    const command = method === 'HEAD' ? new HeadObjectCommand(named) : new GetObjectCommand(named);
    // The client has learned from answers by how much the clock of the server differs.
    const signingDate = new Date(Date.now() + this.bucket.client.config.systemClockOffset);
    try {
      return await getSignedUrl(this.#publicClient, command as GetObjectCommand, { expiresIn: expires, signingDate });
    } catch (error) {
      throw this.bucket.errorOf(error);
    }
  }

  async #get(
    path: string,
    signal: AbortSignal | undefined,
    input: Partial<GetObjectCommandInput>,
  ): Promise<GetObjectCommandOutput> {
    try {
      return await this.bucket.get(path, input, signal);
    } catch (error) {
      throw await this.#explain(path, error, signal);
    }
  }

  /** The response to a HEAD does not distinguish a missing object from a missing bucket. */
  async #explain(path: string, error: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    if (signal?.aborted) return signal.reason;
    const explained = objectError(this.bucket, path, error);
    if (explained.code !== 'not-found') return explained;
    return this.bucket.requireExists().then(
      () => explained,
      (missing: unknown) => missing,
    );
  }

  #figuresOf(
    path: string,
    { LastModified, ContentLength: length, ETag }: GetObjectCommandOutput | HeadObjectCommandOutput,
  ): S3Object {
    const mtime = secondsOf(LastModified);
    if (length !== undefined && mtime !== undefined) return { path, length, mtime, etag: tagOf(ETag) };
    throw this.bucket.brokenAnswer(`reports neither length nor time of "${path}"`);
  }

  #readHead(path: string, head: HeadObjectCommandOutput): KnownObject {
    const object = this.#figuresOf(path, head);
    const hashes = knownHashes({
      bucket: this.bucket.location.bucket,
      etag: object.etag,
      encryption: head.ServerSideEncryption,
      customerKey: head.SSECustomerAlgorithm !== undefined,
      checksumType: head.ChecksumType,
      sha256: head.ChecksumSHA256,
      sha1: head.ChecksumSHA1,
    });
    return { ...object, hashes, mime: readType(head.ContentType) };
  }
}

function tooLarge(path: string, mostBytes: number): TidemarkError {
  return new TidemarkError('unavailable', `${path} cannot be read: it has more than ${mostBytes} bytes`, { path });
}

function toObject({ key, length, lastModified, etag }: ListedS3Object): S3Object {
  return { path: key, length, mtime: secondsOf(lastModified)!, etag: tagOf(etag) };
}

function tagOf(etag: string | undefined): string | undefined {
  const tag = etag?.replace(/^W\//, '').replaceAll('"', '');
  return tag !== undefined && /^[!#-~]+$/.test(tag) ? tag : undefined;
}

/** Nanoseconds, in whole seconds: lists of some servers have milliseconds, other responses do not. */
function secondsOf(date: Date | undefined): bigint | undefined {
  const milliseconds = date?.getTime() ?? Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : BigInt(Math.floor(milliseconds / 1000)) * 1_000_000_000n;
}

function readType(type: string | undefined): string | undefined {
  if (type === undefined || NO_TYPES.has(type.toLowerCase())) return undefined;
  return isMediaType(type) ? type : undefined;
}
