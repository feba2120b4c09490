import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader } from 'yauzl';
import { prefetchItems } from '../../lib/calls/prefetch.ts';
import { type ByteRanges, DamagedFile } from './found-file.ts';
import { inflate } from './inflate.ts';
import { Lookahead } from './lookahead.ts';

// APPNOTE.TXT 6.3.10: 4.4.5 lists the methods, 4.4.4 the flags, 4.4.2 the origins of file attributes.

const STORED = 0;
const DEFLATED = 8;
const METHODS: Readonly<Record<number, string>> = {
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'xz',
  98: 'PPMd',
  99: 'AES',
};
/** The header before the contents of a file (4.3.7), without its name and extra field: their lengths are in it. */
const HEADER_BYTES = 30;
const HEADER_SIGNATURE = 0x04034b50;
const UNICODE_PATH = 0x7075;
const UNIX = 3;
const [FILE_TYPE, LINK] = [0o170000, 0o120000];
/** Bytes that are read at a time: the directory is read in pieces of about 50 bytes, and files may be as small. */
const BLOCK_BYTES = 256 * 1024;

interface FileOfZip {
  /** The name in the ZIP: see clean-name.ts. */
  readonly name: string;
  readonly isFolder: boolean;
  /** Why the file cannot be read: a sentence without a full stop. */
  readonly problem?: string | undefined;
  /** Unpacked bytes, whose length and checksum are compared with those in the ZIP. @throws DamagedFile */
  readonly bytes: AsyncIterable<Buffer>;
}

/**
 * The files of a ZIP, in the order of its directory. The directory is at the end, so nothing can be read of a ZIP that
 * breaks off.
 * @throws DamagedFile
 */
export async function* readZip(ranges: ByteRanges): AsyncGenerator<FileOfZip, void, undefined> {
  const reader = new DirectoryReader(ranges);
  // The directory is at the end, so contents have blocks of their own.
  const blocks = new BlockReader(ranges);
  try {
    // Names are decoded here: yauzl refuses the whole ZIP for one name that would lead out of a folder.
    const options = { autoClose: false, lazyEntries: true, decodeStrings: false };
    const zip = await fromRandomAccessReaderPromise(reader, ranges.length, options);
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      const bytes = contentsOf(entry, blocks, ranges.length);
      yield { name, isFolder: /[/\\]$/.test(name), problem: problemOf(entry), bytes };
    }
  } catch (error) {
    // All errors of yauzl have one class, so errors of the ranges are recorded separately.
    if (reader.failure !== undefined) throw reader.failure;
    throw error instanceof DamagedFile ? error : new DamagedFile(`it is not a readable ZIP file: ${reasonOf(error)}`);
  }
}

/** Decodes a name. Many programs write UTF-8 without the flag for it. */
function nameOf({ fileNameRaw, extraFields, generalPurposeBitFlag }: Entry): string {
  const hasUnicodePath = extraFields.some(({ id }) => id === UNICODE_PATH);
  if (isUtf8(fileNameRaw) && !hasUnicodePath) return fileNameRaw.toString('utf8');
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
}

function reasonOf(error: unknown): string {
  const { message } = error as Error;
  if (!message.startsWith('End of central directory record signature not found')) return message;
  return 'its directory, which is at its end, is missing, as when only a part of it was sent';
}

/** Reads ranges from a block that is kept, so that many short ranges that follow each other are read at once. */
class BlockReader {
  readonly #ranges: ByteRanges;
  #block = Buffer.alloc(0);
  #blockAt = 0;

  constructor(ranges: ByteRanges) {
    this.#ranges = ranges;
  }

  /** Fewer bytes where the file ends. */
  async bytes(position: number, length: number): Promise<Buffer> {
    const end = Math.min(position + length, this.#ranges.length);
    if (position < this.#blockAt || end > this.#blockAt + this.#block.length) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of this.#ranges.read(position, this.#lengthAt(position, length))) chunks.push(chunk);
      this.#block = Buffer.concat(chunks);
      this.#blockAt = position;
    }
    return this.#kept(position, length);
  }

  /** The bytes of a range: from blocks, unless they are many. */
  async *read(start: number, length: number): AsyncGenerator<Uint8Array, void, undefined> {
    const kept = this.#kept(start, length);
    if (kept.length > 0) yield kept;
    const [next, rest] = [start + kept.length, length - kept.length];
    if (rest > BLOCK_BYTES) yield* this.#ranges.read(next, rest);
    else if (rest > 0) yield await this.bytes(next, rest);
  }

  #lengthAt(position: number, length: number): number {
    return Math.max(Math.min(this.#ranges.length - position, Math.max(length, BLOCK_BYTES)), 0);
  }

  #kept(position: number, length: number): Buffer {
    const at = position - this.#blockAt;
    return at < 0 ? this.#block.subarray(0, 0) : this.#block.subarray(at, at + length);
  }
}

/** Reads the directory for yauzl. */
class DirectoryReader extends RandomAccessReader {
  /** The error of the ranges. */
  failure: unknown;
  readonly #blocks: BlockReader;

  constructor(ranges: ByteRanges) {
    super();
    this.#blocks = new BlockReader(ranges);
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, done: (error: Error | null) => void) {
    this.#blocks.bytes(position, length).then(
      (bytes) => {
        bytes.copy(buffer, offset);
        done(bytes.length === length ? null : new Error('it ends early'));
      },
      (error: Error) => {
        this.failure = error;
        done(error);
      },
    );
  }
}

function problemOf(entry: Entry): string | undefined {
  if (entry.isEncrypted()) return 'it is encrypted: pack it without a password';
  if (entry.versionMadeBy >>> 8 === UNIX && ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK) {
    return 'it is a link, which is not followed: pack the file itself';
  }
  const method = entry.compressionMethod;
  if (method === STORED || method === DEFLATED) return undefined;
  return `it is packed with ${METHODS[method] ?? `method ${method}`}: pack it with Deflate, as most programs do`;
}

async function* contentsOf(
  entry: Entry,
  blocks: BlockReader,
  lengthOfZip: number,
): AsyncGenerator<Buffer, void, undefined> {
  const { compressionMethod, compressedSize, uncompressedSize, crc32: expected } = entry;
  let length = 0;
  let checksum = 0;
  const start = await startOf(entry, blocks);
  if (start + compressedSize > lengthOfZip) throw new DamagedFile('it breaks off: the ZIP ends before it does');
  const packed = new Lookahead(blocks.read(start, compressedSize));
  try {
    for await (const chunk of compressionMethod === DEFLATED ? prefetchItems(inflate(packed)) : packed) {
      length += chunk.length;
      if (length > uncompressedSize) {
        throw new DamagedFile(`it has more than the ${uncompressedSize} bytes that the ZIP says`);
      }
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } finally {
    await packed.close();
  }
  if (length < uncompressedSize) {
    throw new DamagedFile(`it breaks off: it has ${length} of the ${uncompressedSize} bytes that the ZIP says`);
  }
  if (checksum !== expected) throw new DamagedFile('it is damaged: its checksum is not the one in the ZIP');
}

/** Returns where the contents of a file begin. @throws DamagedFile, and every error of the ranges */
async function startOf({ relativeOffsetOfLocalHeader: at }: Entry, blocks: BlockReader): Promise<number> {
  const header = await blocks.bytes(at, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.readUInt32LE(0) !== HEADER_SIGNATURE) {
    throw new DamagedFile(`it cannot be read in the ZIP: there is no header of a file at byte ${at}`);
  }
  return at + HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
}
