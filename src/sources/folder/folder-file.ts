import type { BigIntStats } from 'node:fs';
import { Readable } from 'node:stream';
import { chunkFor, countStream } from '../../lib/bytes/read-ahead.ts';
import type { ByteRange, RootFile } from '../content-root.ts';
import { changedMeanwhile } from '../file-errors.ts';
import { identityOf } from './file-identity.ts';
import { fileTag } from './version-tag.ts';

const CHUNK = 128 * 1024;

export interface Opened {
  readonly stats: BigIntStats;
  /** The real path of the file. */
  readonly real: string;
}

/** The operations used on an open file; a FileHandle has them. */
export interface OpenDescriptor {
  read(into: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  stat(options: { readonly bigint: true }): Promise<BigIntStats>;
  close(): Promise<void>;
}

/** An open file of a folder. */
export class FolderFile implements RootFile {
  readonly length: number;
  readonly mtime: bigint;
  readonly tag: string;
  readonly #handle: OpenDescriptor;
  readonly #path: string;
  readonly #identity: string;
  #closed: Promise<void> | undefined;

  constructor(handle: OpenDescriptor, path: string, { stats, real }: Opened) {
    const { size, mtimeNs } = stats;
    this.#handle = handle;
    this.#path = path;
    this.length = Number(size);
    this.mtime = mtimeNs;
    this.tag = fileTag(stats, real);
    this.#identity = identityOf(stats);
  }

  stream(range: ByteRange = { start: 0, end: this.length - 1 }): Readable {
    const stream = Readable.from(this.#read(range), { objectMode: false, highWaterMark: 1 });
    countStream(stream);
    // Not in the generator's `finally`: a stream that is destroyed before it is read never enters the generator.
    // What was read is complete, whatever the system reports when the file is closed.
    stream.once('close', () => this.close().catch(() => {}));
    return stream;
  }

  close(): Promise<void> {
    this.#closed ??= this.#handle.close();
    return this.#closed;
  }

  async readInto(buffer: Buffer, { start, end }: ByteRange): Promise<number> {
    const size = Math.min(buffer.length, end - start + 1);
    const { bytesRead } = await this.#handle.read(buffer, 0, size, start);
    if (bytesRead === 0 || start + bytesRead > end) await this.#checkUnchanged();
    if (bytesRead === 0) throw changedMeanwhile(this.#path);
    return bytesRead;
  }

  async *#read({ start, end }: ByteRange): AsyncGenerator<Buffer> {
    for (let at = start; at <= end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkFor(CHUNK), end - at + 1));
      const read = await this.readInto(buffer, { start: at, end });
      at += read;
      yield buffer.subarray(0, read);
    }
  }

  async #checkUnchanged(): Promise<void> {
    if (identityOf(await this.#handle.stat({ bigint: true })) !== this.#identity) throw changedMeanwhile(this.#path);
  }
}
