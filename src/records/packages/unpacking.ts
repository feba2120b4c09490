import { tmpdir } from 'node:os';
import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import { DamagedFile, type Identity } from './found-file.ts';
import type { Lookahead } from './lookahead.ts';

/** Limits for unpacking one given file. */
export interface UnpackLimits {
  /** Nesting of packages; a tar in gzip counts as one. */
  readonly depth: number;
  /** Number of files and folders in all of its packages. */
  readonly entries: number;
  /** Unpacked bytes, of all levels. */
  readonly bytes: number;
  /** Unpacked bytes for each packed byte that was read. */
  readonly ratio: number;
  /** The same, of a ZIP in another package. It is copied to a disk, and hardly shrinks in a package. */
  readonly copiedRatio: number;
  /** Unpacked bytes up to which no ratio is checked. */
  readonly freeBytes: number;
}

/**
 * XML becomes 10 to 25 times smaller by gzip, and about 200 times when records are nearly alike; zeros become 1,000
 * times smaller. Unpacked bytes are read as a stream and not stored, but for a ZIP in another package, so most limits
 * only protect the processor.
 */
export const UNPACK_LIMITS: UnpackLimits = {
  depth: 3,
  entries: 100_000,
  bytes: 1024 ** 4,
  ratio: 500,
  copiedRatio: 20,
  freeBytes: 256 * 1024 ** 2,
};

export interface UnpackOptions {
  /**
   * Identifies a file that is no package and not of macOS. Its bytes can be read from the first one afterwards.
   * @param name in its package, or as it was given
   */
  identify(input: Lookahead, name: string): Promise<Identity>;
  readonly limits?: Partial<UnpackLimits> | undefined;
  /** The folder for a copy of a ZIP in another package, or of one that cannot be read by ranges. */
  readonly scratchFolder?: string | undefined;
}

/** Counts the bytes and entries that one given file unpacks to. */
export class Unpacking {
  readonly limits: UnpackLimits;
  readonly scratchFolder: string;
  readonly identify: UnpackOptions['identify'];
  #packed = 0;
  #unpacked = 0;
  #entries = 0;

  constructor({ identify, limits, scratchFolder }: UnpackOptions) {
    this.identify = identify;
    this.limits = { ...UNPACK_LIMITS, ...limits };
    this.scratchFolder = scratchFolder ?? tmpdir();
  }

  /** Counts bytes of the given file. */
  async *received(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of chunks) {
      this.countReceived(chunk.length);
      yield chunk;
    }
  }

  countReceived(bytes: number): void {
    this.#packed += bytes;
  }

  /** Counts unpacked bytes. @throws DamagedFile when they are too many */
  async *unpacked(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    const { bytes, ratio } = this.limits;
    for await (const chunk of chunks) {
      this.#unpacked += chunk.length;
      if (this.#unpacked > bytes) {
        throw new DamagedFile(`it unpacks to more than ${formatBytes(bytes)}: send it as several files`);
      }
      this.#requireRatio(this.#unpacked, ratio);
      yield chunk;
    }
  }

  /** Counts the bytes of a ZIP that is copied. @throws DamagedFile when they are too many */
  async *copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    let copied = 0;
    for await (const chunk of chunks) {
      copied += chunk.length;
      this.#requireRatio(copied, this.limits.copiedRatio);
      yield chunk;
    }
  }

  #requireRatio(unpacked: number, ratio: number): void {
    if (unpacked <= this.limits.freeBytes || unpacked <= this.#packed * ratio) return;
    throw new DamagedFile(
      `it unpacks to more than ${formatCount(ratio)} times its size, as what is meant to do harm does: ` +
        'send it unpacked',
    );
  }

  /** Counts a file or a folder in a package. @throws DamagedFile when they are too many */
  countEntry(): void {
    this.#entries += 1;
    if (this.#entries <= this.limits.entries) return;
    throw new DamagedFile(`it has more than ${formatCount(this.limits.entries)} files: send several packages`);
  }
}
