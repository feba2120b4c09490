import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { chunkFor, countStream } from '../../lib/read-ahead.ts';
import type { ByteRange, RootFile } from '../content-root.ts';
import { changedMeanwhile } from '../file-errors.ts';
import { identityOf } from './file-identity.ts';
import { fileTag } from './version-tag.ts';

const CHUNK = 128 * 1024;

interface Opened {
  readonly stats: BigIntStats;
  /** The real path of the file. */
  readonly real: string;
}

/** An open file of a folder. */
export class FolderFile implements RootFile {
  readonly length: number;
  readonly mtime: bigint;
  readonly tag: string;
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #identity: string;
  #closed: Promise<void> | undefined;

  constructor(handle: FileHandle, path: string, { stats, real }: Opened) {
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
    // Not in the generator's `finally`: a stream that is destroyed before it was read never enters the generator.
    stream.once('close', () => void this.close());
    return stream;
  }

  close(): Promise<void> {
    this.#closed ??= this.#handle.close();
    return this.#closed;
  }

  async *#read({ start, end }: ByteRange): AsyncGenerator<Buffer> {
    for (let at = start; at <= end; ) {
      const size = Math.min(chunkFor(CHUNK), end - at + 1);
      const { bytesRead, buffer } = await this.#handle.read(Buffer.allocUnsafe(size), 0, size, at);
      at += bytesRead;
      if (bytesRead === 0 || at > end) await this.#checkUnchanged();
      if (bytesRead === 0) throw changedMeanwhile(this.#path);
      yield buffer.subarray(0, bytesRead);
    }
  }

  async #checkUnchanged(): Promise<void> {
    if (identityOf(await this.#handle.stat({ bigint: true })) !== this.#identity) throw changedMeanwhile(this.#path);
  }
}
