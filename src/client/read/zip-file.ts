import { createReadStream, open, read, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { FetchFailure } from './fetcher.ts';
import { unpackTogether } from './unpack-together.ts';

const MOST_FILES = 1_000_000;
/** Limit for the central directory, which yauzl keeps in memory. */
const MOST_DIRECTORY_BYTES = 256 * 1024 * 1024;
const SMALL_BYTES = 1024 * 1024;
/** Unpacking a longer file takes most of the time of its call. */
const MOST_BYTES_TOGETHER = 16 * 1024;
const LOCAL_HEADER_BYTES = 30;
/** Most packages are read in order. A larger window costs too much where they are not. */
const WINDOW_BYTES = 64 * 1024;
/** The smallest chunk size that zlib accepts. */
const LEAST_CHUNK_BYTES = 64;

/** A stream that is destroyed closes its file even with `autoClose: false`. */
const LEAVES_IT_OPEN = { open, read, close: (_fd: number, done: () => void) => done() };

/** Reads a file, mostly in order: one system call serves many small reads. */
class FileWindow {
  readonly #fd: number;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Returns fewer bytes at the end of the file. They may be a view of a larger buffer. */
  read(position: number, length: number): Buffer {
    if (length > WINDOW_BYTES) return this.#readAlone(position, length);
    const end = this.#start + this.#bytes.length;
    if (position < this.#start || position + length > end) {
      this.#bytes = this.#readAlone(position, WINDOW_BYTES);
      this.#start = position;
    }
    const from = position - this.#start;
    return this.#bytes.subarray(from, from + length);
  }

  #readAlone(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for (let read = -1; read !== 0 && at < length; at += read) {
      read = readSync(this.#fd, bytes, at, length - at, position + at);
    }
    return bytes.subarray(0, at);
  }
}

/** A reader of a file that yauzl does not close: its opener does. yauzl would not close it in every case. */
class OpenFile extends RandomAccessReader {
  readonly #fd: number;
  readonly #window: FileWindow;

  constructor(fd: number, window: FileWindow) {
    super();
    this.#fd = fd;
    this.#window = window;
  }

  /** Without this override, yauzl creates eight streams for each file that it lists. */
  override read(buffer: Buffer, offset: number, length: number, position: number, done: (error: Error | null) => void) {
    // Asynchronous, because yauzl does not expect the callback before this method returns.
    const reading = async () => this.#window.read(position, length).copy(buffer, offset);
    reading().then((bytes) => done(bytes === length ? null : new Error('it ends too early')), done);
  }

  override _readStreamForRange(start: number, end: number) {
    return createReadStream('', { fd: this.#fd, start, end: end - 1, fs: LEAVES_IT_OPEN });
  }
}

/** A small file in a package. The object of yauzl for it would take more memory than its bytes. */
interface SmallFile {
  /** Position of its local header. */
  readonly start: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly crc32: number;
  readonly isPacked: boolean;
}

/** The files of a ZIP package on disk, by their names without a leading slash. */
export class ZipPackage {
  readonly #window: FileWindow;
  readonly #length: number;
  readonly #zip: ZipFile;
  readonly #files = new Map<string, ZipEntry | SmallFile>();
  /** See `unpackAhead`. */
  readonly #unpacked = new Map<string, Buffer>();

  private constructor(window: FileWindow, length: number, zip: ZipFile) {
    this.#window = window;
    this.#length = length;
    this.#zip = zip;
  }

  /**
   * @param fd of the open file, which the caller closes after the package
   * @param length in bytes
   * @throws FetchFailure when it is not a ZIP file
   */
  static async open(fd: number, length: number): Promise<ZipPackage> {
    // A damaged package can fail in many ways: all errors of yauzl count.
    const window = new FileWindow(fd);
    const zip = await fromRandomAccessReaderPromise(new OpenFile(fd, window), length, { autoClose: false }).catch(fail);
    const opened = new ZipPackage(window, length, zip);
    let bytes = 0;
    try {
      for await (const entry of zip.eachEntry()) {
        bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
        if (bytes > MOST_DIRECTORY_BYTES) throw new FetchFailure('the names in it take too much memory');
        opened.#files.set(entry.fileName.replace(/^\//, ''), smallFile(entry) ?? entry);
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

  /**
   * Yields the bytes of a file, decompressed.
   * @throws FetchFailure when it is damaged
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    const contents = this.contents(name);
    if (contents instanceof Uint8Array) yield contents;
    else yield* contents;
  }

  async *#stream(file: ZipEntry): AsyncGenerator<Buffer> {
    try {
      yield* await this.#zip.openReadStreamPromise(file);
    } catch (error) {
      fail(error as Error);
    }
  }

  /**
   * The bytes of a file, decompressed. A small file is read at once: a stream for each of many would take much longer.
   * @throws FetchFailure when it is damaged, maybe while it is read
   */
  contents(name: string): Buffer | AsyncIterable<Buffer> {
    const file = this.#files.get(name)!;
    return this.#unpacked.get(name) ?? ('start' in file ? this.#readAtOnce(file) : this.#stream(file));
  }

  /** Unpacks those of the files that are small, and keeps their bytes for `contents` until the next call. */
  unpackAhead(names: readonly string[]): void {
    this.#unpacked.clear();
    const files = names.flatMap((name) => {
      const file = this.#files.get(name);
      return file !== undefined && isForTogether(file) ? [{ name, file }] : [];
    });
    if (files.length === 0) return;
    try {
      const packed = files.map(({ file }) => ({ ...file, packed: this.#packed(file) }));
      for (const [at, bytes] of unpackTogether(packed).entries()) this.#unpacked.set(files[at]!.name, bytes);
    } catch {
      // One of them is damaged: `contents` reads each alone, and finds which one.
    }
  }

  #readAtOnce(file: SmallFile): Buffer {
    const packed = this.#packed(file);
    if (!file.isPacked) return packed;
    const { bytes } = file;
    try {
      // Otherwise each file takes 16 kB, and garbage is collected after every few hundred files.
      const chunkSize = Math.max(LEAST_CHUNK_BYTES, bytes + 1);
      return inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes), chunkSize });
    } catch (error) {
      return fail(error as Error);
    }
  }

  #packed({ start, packedBytes }: SmallFile): Buffer {
    const header = this.#bytes(start, LOCAL_HEADER_BYTES);
    if (header.readUInt32LE(0) !== 0x04034b50) throw new FetchFailure('a file in it has no header');
    const data = start + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
    return this.#bytes(data, packedBytes);
  }

  #bytes(start: number, length: number): Buffer {
    const bytes = start + length <= this.#length ? this.#window.read(start, length) : undefined;
    if (bytes?.length === length) return bytes;
    throw new FetchFailure('a file in it ends too early');
  }

  close(): void {
    this.#zip.close();
  }
}

function smallFile(entry: ZipEntry): SmallFile | undefined {
  const { compressedSize, uncompressedSize, crc32, compressionMethod, generalPurposeBitFlag } = entry;
  const isSmall = compressedSize <= SMALL_BYTES && uncompressedSize <= SMALL_BYTES;
  const isPlain = (compressionMethod === 0 || compressionMethod === 8) && (generalPurposeBitFlag & 1) === 0;
  if (!isSmall || !isPlain) return undefined;
  return {
    start: entry.relativeOffsetOfLocalHeader,
    packedBytes: compressedSize,
    bytes: uncompressedSize,
    crc32,
    isPacked: compressionMethod === 8,
  };
}

function isForTogether(file: ZipEntry | SmallFile): file is SmallFile {
  return 'start' in file && file.isPacked && Math.max(file.packedBytes, file.bytes) <= MOST_BYTES_TOGETHER;
}

function fail(error: Error): never {
  if (error instanceof FetchFailure) throw error;
  throw new FetchFailure(`it is not a readable ZIP file: ${error.message}`);
}
