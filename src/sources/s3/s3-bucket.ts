import type { Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash.ts';
import { isMediaType } from '../../core/media-type.ts';
import { readList } from '../../lib/s3/read-list.ts';
import { createClient } from '../../lib/s3/s3-client.ts';
import type { S3Location } from '../../lib/s3/s3-location.ts';
import type { ByteRange, PresignedUse } from '../content-root.ts';
import { changedMeanwhile } from '../file-errors.ts';
import type { S3Settings } from '../root-location.ts';
import { knownHashes } from './object-hashes.ts';
import { brokenAnswer, objectError, rootError } from './s3-errors.ts';

/** An object, or one version of it; times have whole seconds, because not every answer of a server has more. */
export interface S3Object {
  /** Below the prefix of the root. */
  readonly path: string;
  /** Bytes. */
  readonly length: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  /** Without quotation marks; undefined when the server has none. */
  readonly etag: string | undefined;
}

export interface KnownObject extends S3Object {
  /** The media type that somebody gave it. */
  readonly mime: string | undefined;
  /** What is known without reading it. */
  readonly hashes: Hashes;
}

export interface S3Page {
  readonly objects: readonly S3Object[];
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined;
}

/** What servers say when nobody gave the object a type. */
const NO_TYPES = new Set(['application/octet-stream', 'binary/octet-stream', 'application/x-directory']);

/** Asks a server about the objects below a prefix. Errors are those of the port, and name no keys. */
export class S3Bucket {
  readonly #location: S3Location;
  readonly #client: S3Client;
  readonly #publicClient: S3Client;

  constructor(location: S3Location, settings: S3Settings) {
    const { endpoint, publicEndpoint } = location;
    this.#location = location;
    this.#client = createClient(location, settings, endpoint);
    this.#publicClient = publicEndpoint === undefined ? this.#client : createClient(location, settings, publicEndpoint);
  }

  /** Every object whose path begins with `start`, page by page. */
  async *pages(start: string): AsyncGenerator<readonly S3Object[]> {
    for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
      const page: S3Page = await this.page(start, next);
      if (page.next !== undefined && page.next === next)
        throw brokenAnswer(this.#location, 'tells the same page again and again');
      next = page.next;
      yield page.objects;
    }
  }

  /** One page of the objects whose path begins with `start`, in the order of the server. */
  async page(start: string, from?: string, most?: number): Promise<S3Page> {
    const { bucket: Bucket, prefix } = this.#location;
    const command = new ListObjectsV2Command({
      Bucket,
      Prefix: prefix + start,
      // Keys may hold characters that XML cannot.
      EncodingType: 'url',
      ContinuationToken: from,
      MaxKeys: most,
    });
    let answer: ListObjectsV2CommandOutput;
    try {
      answer = await this.#client.send(command);
    } catch (error) {
      throw rootError(this.#location, error);
    }
    return this.#readPage(answer, prefix + start);
  }

  /** @throws TidemarkError `unavailable` when the bucket is not there, or does not let us list it */
  async requireThere(): Promise<void> {
    await this.page('', undefined, 1);
  }

  /** @throws TidemarkError as `ContentRoot.open` */
  async head(path: string, signal?: AbortSignal): Promise<KnownObject> {
    const { bucket } = this.#location;
    const command = new HeadObjectCommand({ ...this.#named(path), ChecksumMode: 'ENABLED' });
    try {
      const head = await this.#client.send(command, abortable(signal));
      const object = readObject(path, head.ContentLength, head);
      if (object === undefined) throw brokenAnswer(this.#location, `told neither length nor time of "${path}"`);
      const hashes = knownHashes({
        bucket,
        etag: object.etag,
        encryption: head.ServerSideEncryption,
        customerKey: head.SSECustomerAlgorithm !== undefined,
        checksumType: head.ChecksumType,
        sha256: head.ChecksumSHA256,
        sha1: head.ChecksumSHA1,
      });
      return { ...object, hashes, mime: readType(head.ContentType) };
    } catch (error) {
      throw await this.#explain(path, error, signal);
    }
  }

  /**
   * The bytes of just this version of an object.
   * @throws TidemarkError `conflict` when it has another version now; else as `ContentRoot.open`
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
    // Not every server knows conditions and ranges.
    const hasRange = isWhole
      ? answer.ContentLength === length
      : answer.ContentRange === `bytes ${start}-${end}/${length}`;
    if (isSame && hasRange) return body;
    body.on('error', () => {}).destroy();
    throw isSame && !isWhole
      ? brokenAnswer(this.#location, 'does not send the range that it is asked for')
      : changedMeanwhile(path);
  }

  /**
   * A small object as text; undefined when it is not there.
   * @throws TidemarkError `unavailable` also when it has more than so many bytes, whatever length the server states
   */
  async readText(path: string, mostBytes: number): Promise<string | undefined> {
    try {
      const { Body } = await this.#get(path, undefined, {});
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
      if (isTidemarkError(error, 'not-found')) return undefined;
      throw objectError(this.#location, path, error);
    }
  }

  /** @throws TidemarkError `invalid` for a root without credentials */
  async presign(path: string, { method, expires }: PresignedUse): Promise<string> {
    if (this.#location.anonymous)
      throw new TidemarkError('invalid', 'a root that is read without credentials cannot sign URLs');
    const command =
      method === 'HEAD' ? new HeadObjectCommand(this.#named(path)) : new GetObjectCommand(this.#named(path));
    try {
      return await getSignedUrl(this.#publicClient, command as GetObjectCommand, { expiresIn: expires });
    } catch (error) {
      throw rootError(this.#location, error);
    }
  }

  async #get(path: string, signal: AbortSignal | undefined, input: Partial<GetObjectCommandInput>) {
    try {
      return await this.#client.send(new GetObjectCommand({ ...this.#named(path), ...input }), abortable(signal));
    } catch (error) {
      throw await this.#explain(path, error, signal);
    }
  }

  /** Whether the object is missing, or the bucket, the answer to a HEAD does not tell. */
  async #explain(path: string, error: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    if (signal?.aborted) return signal.reason;
    const explained = objectError(this.#location, path, error);
    if (explained.code !== 'not-found') return explained;
    return this.requireThere().then(
      () => explained,
      (missing: unknown) => missing,
    );
  }

  #readPage(answer: ListObjectsV2CommandOutput, start: string): S3Page {
    const { bucket, prefix } = this.#location;
    const page = readList(answer, { bucket, prefix: start });
    if (typeof page === 'string') throw brokenAnswer(this.#location, page);
    const objects = page.objects.map(({ key, length, lastModified, etag }) => ({
      path: key.slice(prefix.length),
      length,
      mtime: secondsOf(lastModified)!,
      etag: tagOf(etag),
    }));
    return { objects, next: page.next };
  }

  #named(path: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#location.bucket, Key: this.#location.prefix + path };
  }
}

function tooLarge(path: string, mostBytes: number): TidemarkError {
  return new TidemarkError('unavailable', `${path} cannot be read: it has more than ${mostBytes} bytes`, { path });
}

/** An option that is absent must not be there at all. */
function abortable(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

interface Told {
  readonly LastModified?: Date | undefined;
  readonly ETag?: string | undefined;
}

function readObject(path: string, length: number | undefined, told: Told): S3Object | undefined {
  const mtime = secondsOf(told.LastModified);
  if (length === undefined || mtime === undefined) return undefined;
  return { path, length, mtime, etag: tagOf(told.ETag) };
}

function tagOf(etag: string | undefined): string | undefined {
  const tag = etag?.replace(/^W\//, '').replaceAll('"', '');
  return tag !== undefined && /^[!#-~]+$/.test(tag) ? tag : undefined;
}

/** Nanoseconds of whole seconds: lists of some servers have milliseconds, other answers do not. */
function secondsOf(date: Date | undefined): bigint | undefined {
  const milliseconds = date?.getTime() ?? Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : BigInt(Math.floor(milliseconds / 1000)) * 1_000_000_000n;
}

function readType(type: string | undefined): string | undefined {
  if (type === undefined || NO_TYPES.has(type.toLowerCase())) return undefined;
  return isMediaType(type) ? type : undefined;
}
