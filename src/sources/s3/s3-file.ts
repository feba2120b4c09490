import { Readable } from 'node:stream';
import { readResuming } from '../../lib/s3/read-resuming.ts';
import type { ByteRange, RootFile } from '../content-root.ts';
import { changedMeanwhile } from '../file-errors.ts';
import type { S3Object, SourceBucket } from './source-bucket.ts';

/** One version of an object. No connection is open before it is read. */
export class S3File implements RootFile {
  readonly length: number;
  readonly mtime: bigint;
  readonly tag: string;
  readonly #bucket: SourceBucket;
  readonly #object: S3Object;

  constructor(bucket: SourceBucket, object: S3Object) {
    const { length, mtime, etag } = object;
    this.#bucket = bucket;
    this.#object = object;
    this.length = length;
    this.mtime = mtime;
    this.tag = etag ?? `${mtime.toString(36)}-${length.toString(36)}`;
  }

  stream(range: ByteRange = { start: 0, end: this.length - 1 }, signal?: AbortSignal): Readable {
    const closed = new AbortController();
    const either = signal === undefined ? closed.signal : AbortSignal.any([closed.signal, signal]);
    const stream = Readable.from(this.#read(range, either), { objectMode: false });
    stream.once('close', () => closed.abort());
    return stream;
  }

  async close(): Promise<void> {}

  /** Continues where a connection was cut, as long as the object is the same. */
  #read({ start, end }: ByteRange, signal: AbortSignal): AsyncGenerator<Buffer> {
    const { bucket } = this.#bucket;
    const { path } = this.#object;
    return readResuming({
      start,
      end,
      signal,
      open: (from) => this.#bucket.read(this.#object, { start: from, end }, signal),
      tooLong: () => changedMeanwhile(path),
      cutOff: () => bucket.brokenAnswer(`sent a part of "${path}" only`),
      errorOf: (error) => bucket.errorOf(error),
    });
  }
}
