import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import { prefetchItems } from '../../lib/prefetch.ts';
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
const UNICODE_PATH = 0x7075;
const UNIX = 3;
const [FILE_TYPE, LINK] = [0o170000, 0o120000];
/** Bytes that are read at a time: yauzl reads the directory in pieces of about 50 bytes. */
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
  const reader = new RangeReader(ranges);
  try {
    // Names are decoded here: yauzl refuses the whole ZIP for one name that would lead out of a folder.
    const options = { autoClose: false, lazyEntries: true, decodeStrings: false };
    const zip = await fromRandomAccessReaderPromise(reader, ranges.length, options);
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      const bytes = contentsOf(entry, ranges, () => startOf(entry, zip, reader));
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

class RangeReader extends RandomAccessReader {
  /** The error of the ranges. */
  failure: unknown;
  readonly #ranges: ByteRanges;
  #block = Buffer.alloc(0);
  #blockAt = 0;

  constructor(ranges: ByteRanges) {
    super();
    this.#ranges = ranges;
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, done: (error: Error | null) => void) {
    this.#bytes(position, length).then(
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

  async #bytes(position: number, length: number): Promise<Buffer> {
    const at = position - this.#blockAt;
    if (at < 0 || at + length > this.#block.length) {
      const most = Math.min(this.#ranges.length - position, Math.max(length, BLOCK_BYTES));
      const chunks: Uint8Array[] = [];
      for await (const chunk of this.#ranges.read(position, most)) chunks.push(chunk);
      this.#block = Buffer.concat(chunks);
      this.#blockAt = position;
    }
    return this.#block.subarray(position - this.#blockAt, position - this.#blockAt + length);
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
  { compressionMethod, compressedSize, uncompressedSize, crc32: expected }: Entry,
  ranges: ByteRanges,
  findStart: () => Promise<number>,
): AsyncGenerator<Buffer, void, undefined> {
  let length = 0;
  let checksum = 0;
  const packed = new Lookahead(ranges.read(await findStart(), compressedSize));
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
async function startOf(entry: Entry, zip: ZipFile, reader: RangeReader): Promise<number> {
  try {
    return (await zip.readLocalFileHeaderPromise(entry, { minimal: true })).fileDataStart;
  } catch (error) {
    throw reader.failure ?? new DamagedFile(`it cannot be read in the ZIP: ${(error as Error).message}`);
  }
}
