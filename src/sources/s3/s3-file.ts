import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError } from '../../core/errors.ts';
import type { S3Location } from '../../lib/s3/s3-location.ts';
import type { ByteRange, RootFile } from '../content-root.ts';
import { changedMeanwhile } from '../file-errors.ts';
import type { S3Bucket, S3Object } from './s3-bucket.ts';
import { brokenAnswer, rootError } from './s3-errors.ts';

/** How often in a row reading goes on where it was cut off, and how long it waits before, milliseconds. */
const RESUMES = 3;
const PAUSE = 200;

/** One version of an object. No connection is open before it is read. */
export class S3File implements RootFile {
  readonly length: number;
  readonly mtime: bigint;
  readonly tag: string;
  readonly #bucket: S3Bucket;
  readonly #location: S3Location;
  readonly #object: S3Object;

  constructor(bucket: S3Bucket, location: S3Location, object: S3Object) {
    const { length, mtime, etag } = object;
    this.#bucket = bucket;
    this.#location = location;
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

  /** Goes on where a connection was cut, as long as the object is the same. */
  async *#read({ start, end }: ByteRange, signal: AbortSignal): AsyncGenerator<Buffer> {
    let at = start;
    for (let cuts = 0; at <= end; ) {
      const body = await this.#bucket.read(this.#object, { start: at, end }, signal);
      try {
        for await (const chunk of body) {
          at += chunk.length;
          cuts = 0;
          if (at > end + 1) throw changedMeanwhile(this.#object.path);
          yield chunk;
        }
        if (at <= end) throw brokenAnswer(this.#location, `sent a part of "${this.#object.path}" only`);
      } catch (error) {
        signal.throwIfAborted();
        const explained = rootError(this.#location, error);
        cuts += 1;
        if (!isTidemarkError(explained, 'unavailable') || cuts > RESUMES) throw explained;
        await wait(PAUSE * cuts, undefined, { signal });
      }
    }
  }
}
