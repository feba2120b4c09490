import type { BigIntStats } from 'node:fs';
import { Readable } from 'node:stream';
import type { ByteRange, RootFile } from '../content-root.ts';
import { fileTag } from './version-tag.ts';

/** A file of a folder whose bytes were read when it was opened. */
export class ReadFile implements RootFile {
  readonly length: number;
  readonly mtime: bigint;
  readonly tag: string;
  readonly bytes: Buffer;

  /** @param real the real path of the file */
  constructor(stats: BigIntStats, real: string, bytes: Buffer) {
    this.length = bytes.length;
    this.mtime = stats.mtimeNs;
    this.tag = fileTag(stats, real);
    this.bytes = bytes;
  }

  stream({ start, end }: ByteRange = { start: 0, end: this.length - 1 }): Readable {
    return Readable.from([this.bytes.subarray(start, end + 1)], { objectMode: false });
  }

  async close(): Promise<void> {}
}
