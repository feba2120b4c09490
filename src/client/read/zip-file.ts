import { createReadStream, open, read, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { FetchFailure } from './fetcher.ts';

const MOST_FILES = 1_000_000;
/** Of the names of all files and what belongs to them: yauzl keeps that in memory. */
const MOST_DIRECTORY_BYTES = 256 * 1024 * 1024;
const SMALL_BYTES = 1024 * 1024;
const LOCAL_HEADER_BYTES = 30;
/** What zlib permits. */
const LEAST_CHUNK_BYTES = 64;

/** A stream that is destroyed closes its file, whatever `autoClose` says. */
const LEAVES_IT_OPEN = { open, read, close: (_fd: number, done: () => void) => done() };

/** An open file, which its opener closes: yauzl would close it, but not in every case. */
class OpenFile extends RandomAccessReader {
  readonly #fd: number;

  constructor(fd: number) {
    super();
    this.#fd = fd;
  }

  /** Without it, yauzl makes eight streams for each file that it lists. */
  override read(buffer: Buffer, offset: number, length: number, position: number, done: (error: Error | null) => void) {
    // A promise, since yauzl expects no call before this returns.
    const reading = async () => readAt(this.#fd, buffer.subarray(offset, offset + length), position);
    reading().then((bytes) => done(bytes === length ? null : new Error('it ends too early')), done);
  }

  override _readStreamForRange(start: number, end: number) {
    return createReadStream('', { fd: this.#fd, start, end: end - 1, fs: LEAVES_IT_OPEN });
  }
}

/** The files of a ZIP package on disk, by their names without a slash at the beginning. */
export class ZipPackage {
  readonly #fd: number;
  readonly #length: number;
  readonly #zip: ZipFile;
  readonly #files = new Map<string, ZipEntry>();

  private constructor(fd: number, length: number, zip: ZipFile) {
    this.#fd = fd;
    this.#length = length;
    this.#zip = zip;
  }

  /**
   * @param fd of the open file, which the caller closes after the package
   * @param length bytes
   * @throws FetchFailure when it is no ZIP file
   */
  static async open(fd: number, length: number): Promise<ZipPackage> {
    // A damaged package fails in many ways; all of them are errors of this library.
    const zip = await fromRandomAccessReaderPromise(new OpenFile(fd), length, { autoClose: false }).catch(fail);
    const opened = new ZipPackage(fd, length, zip);
    let bytes = 0;
    try {
      for await (const entry of zip.eachEntry()) {
        bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
        if (bytes > MOST_DIRECTORY_BYTES) throw new FetchFailure('the names in it take too much memory');
        opened.#files.set(entry.fileName.replace(/^\//, ''), entry);
        if (opened.#files.size > MOST_FILES) throw new FetchFailure(`it has more than ${MOST_FILES} files`);
      }
    } catch (error) {
      zip.close();
      return fail(error as Error);
    }
    return opened;
  }

  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** The bytes of a file, unpacked. @throws FetchFailure when it is damaged */
  async *read(name: string): AsyncGenerator<Buffer> {
    try {
      yield* await this.#zip.openReadStreamPromise(this.#files.get(name)!);
    } catch (error) {
      fail(error as Error);
    }
  }

  /**
   * The bytes of a file, unpacked. Those of a small one are read at once: a stream for each of many takes much more
   * time than its bytes.
   * @throws FetchFailure, also while it is read, when it is damaged
   */
  contents(name: string): Iterable<Buffer> | AsyncIterable<Buffer> {
    const { compressedSize, uncompressedSize, compressionMethod, generalPurposeBitFlag } = this.#files.get(name)!;
    const isSmall = compressedSize <= SMALL_BYTES && uncompressedSize <= SMALL_BYTES;
    const isPlain = (compressionMethod === 0 || compressionMethod === 8) && (generalPurposeBitFlag & 1) === 0;
    return isSmall && isPlain ? [this.#readAtOnce(this.#files.get(name)!)] : this.read(name);
  }

  #readAtOnce({ relativeOffsetOfLocalHeader: start, compressedSize, uncompressedSize, ...entry }: ZipEntry): Buffer {
    const header = this.#bytes(start, LOCAL_HEADER_BYTES);
    if (header.readUInt32LE(0) !== 0x04034b50) throw new FetchFailure('a file in it has no header');
    const data = start + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
    const packed = this.#bytes(data, compressedSize);
    if (entry.compressionMethod === 0) return packed;
    try {
      // Otherwise each file takes 16 kB, and the garbage is collected after every few hundred.
      const chunkSize = Math.max(LEAST_CHUNK_BYTES, uncompressedSize + 1);
      return inflateRawSync(packed, { maxOutputLength: Math.max(1, uncompressedSize), chunkSize });
    } catch (error) {
      return fail(error as Error);
    }
  }

  #bytes(start: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    const isInside = start + length <= this.#length;
    if (isInside && readAt(this.#fd, bytes, start) === length) return bytes;
    throw new FetchFailure('a file in it ends too early');
  }

  close(): void {
    this.#zip.close();
  }
}

/** Returns how many bytes there were. */
function readAt(fd: number, buffer: Buffer, position: number): number {
  let at = 0;
  for (let read = -1; read !== 0 && at < buffer.length; at += read) {
    read = readSync(fd, buffer, at, buffer.length - at, position + at);
  }
  return at;
}

function fail(error: Error): never {
  if (error instanceof FetchFailure) throw error;
  throw new FetchFailure(`it is no ZIP file that can be read: ${error.message}`);
}
