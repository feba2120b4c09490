import { Readable } from 'node:stream';
import { readResuming } from '../../lib/s3/read-resuming.ts';
import type { ByteRange, RootFile } from '../content-root.ts';
import { changedMeanwhile } from '../file-errors.ts';
import type { S3Object, SourceBucket } from './source-bucket.ts';

/** One version of an object. Without a response that contains its bytes, no connection is open until it is read. */
export class S3File implements RootFile {
  readonly length: number;
  readonly mtime: bigint;
  readonly tag: string;
  readonly #bucket: SourceBucket;
  readonly #object: S3Object;
  /** The bytes of a response that has not been read yet. */
  #answer: Readable | undefined;
  #bytes: Buffer | undefined;

  /** @param answer all bytes of this version, as they arrive */
  constructor(bucket: SourceBucket, object: S3Object, answer?: Readable) {
    const { length, mtime, etag } = object;
    this.#bucket = bucket;
    this.#object = object;
    this.#answer = answer;
    this.length = length;
    this.mtime = mtime;
    this.tag = etag ?? `${mtime.toString(36)}-${length.toString(36)}`;
  }

  get bytes(): Buffer | undefined {
    return this.#bytes;
  }

  /** Reads all bytes. @throws TidemarkError as `ContentRoot.open`; `conflict` when the object was changed meanwhile */
  async load(): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.#read(this.#all, new AbortController().signal)) chunks.push(chunk);
    // An empty object was not read at all: reading to the end releases the connection.
    this.#answer?.resume();
    this.#bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  stream(range: ByteRange = this.#all, signal?: AbortSignal): Readable {
    const closed = new AbortController();
    const either = signal === undefined ? closed.signal : AbortSignal.any([closed.signal, signal]);
    const answer = this.#answer;
    const stream = Readable.from(this.#read(range, either), { objectMode: false });
    stream.once('close', () => {
      answer?.destroy();
      closed.abort();
    });
    return stream;
  }

  async close(): Promise<void> {
    this.#answer?.destroy();
  }

  get #all(): ByteRange {
    return { start: 0, end: this.length - 1 };
  }

  /** Resumes after a cut connection, as long as the object is the same. */
  #read({ start, end }: ByteRange, signal: AbortSignal): AsyncGenerator<Buffer> {
    const { bucket } = this.#bucket;
    const { path } = this.#object;
    return readResuming({
      start,
      end,
      signal,
      open: async (from) =>
        this.#takeAnswer(from, end) ?? this.#bucket.read(this.#object, { start: from, end }, signal),
      tooLong: () => changedMeanwhile(path),
      cutOff: () => bucket.brokenAnswer(`sent a part of "${path}" only`),
      errorOf: (error) => bucket.errorOf(error),
    });
  }

  /** The response with the bytes, when it contains exactly these. */
  #takeAnswer(start: number, end: number): Readable | undefined {
    const answer = this.#answer;
    this.#answer = undefined;
    if (start === 0 && end === this.length - 1) return answer;
    answer?.destroy();
    return undefined;
  }
}
