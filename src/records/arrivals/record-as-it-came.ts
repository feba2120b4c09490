import { formatBytes } from '../../lib/format-bytes.ts';
import { findRecordFiles } from '../forms/identify.ts';
import type { FileKind } from '../forms/record-form.ts';
import { fileKindOf } from '../forms/record-forms.ts';
import { keepsOffsets } from '../forms/xml-in-utf8.ts';
import { DamagedFile, type FoundFile, type GivenFile } from '../packages/found-file.ts';
import type { UploadedFile } from './upload.ts';
import type { Uploads } from './uploads.ts';

interface WantedRecord {
  readonly file: UploadedFile;
  /** The name of the file in its packages: names joined by ` > `; absent: the first file with records. */
  readonly path?: string | undefined;
  /** Number of unpacked bytes before the record, as an erratum has it. */
  readonly offset: number;
  /** The folder for nested packages. */
  readonly scratchFolder: string;
}

interface RecordAsItCame {
  readonly kind: FileKind;
  /** The names of the file, and of the packages around it. */
  readonly path: readonly string[];
  /** From the record on: at most `MOST_OF_RECORD`. */
  readonly bytes: Buffer;
}

/** A record above 99,999 bytes may be several; of MARCXML, one may have megabytes. */
const MOST_OF_RECORD = 1_048_576;
/** Most bytes of a file, packed and unpacked, that are read for one request. */
const MOST_READ = 64_000_000;
const LONGEST_MS = 10_000;

/**
 * Reads an uploaded file up to a record, or from it on where the file is in no package.
 * @returns undefined when the file has no such record; or a sentence without a full stop when it cannot be read here
 * @throws as `Uploads.open`
 */
export async function readRecordAsItCame(
  uploads: Pick<Uploads, 'open'>,
  wanted: WantedRecord,
): Promise<RecordAsItCame | string | undefined> {
  const reading = new BoundedReading(uploads, wanted.file);
  const { path, offset, scratchFolder } = wanted;
  try {
    for await (const found of findRecordFiles(reading.given, { scratchFolder, limits: { bytes: MOST_READ } })) {
      const kind = fileKindOf(found.kind);
      const name = found.path.join(' > ');
      // A package that breaks off comes after its files.
      if (kind === undefined && path?.startsWith(`${name} > `)) return TOO_FAR;
      if (kind === undefined || (path !== undefined && name !== path)) continue;
      const bytes = await reading.bytesFrom(found, kind, offset);
      return bytes.length === 0 ? undefined : { kind, path: found.path, bytes };
    }
    return undefined;
  } catch (error) {
    if (error instanceof TooFar || error instanceof DamagedFile) return TOO_FAR;
    throw error;
  }
}

class TooFar extends Error {}
const TOO_FAR = `it is not among the first ${formatBytes(MOST_READ)} of its file, or reading these takes too long`;

class BoundedReading {
  readonly given: GivenFile;
  readonly #uploads: Pick<Uploads, 'open'>;
  readonly #file: UploadedFile;
  readonly #until = performance.now() + LONGEST_MS;
  #read = 0;

  constructor(uploads: Pick<Uploads, 'open'>, file: UploadedFile) {
    this.#uploads = uploads;
    this.#file = file;
    const { name, length } = file;
    const read = (start: number, bytes: number) => this.#range(start, bytes);
    this.given = { name, read: () => this.#range(0, length), ranges: { length, read } };
  }

  async bytesFrom(found: FoundFile, kind: FileKind, offset: number): Promise<Buffer> {
    if (found.packing.length === 0) {
      if (kind.decode === undefined || keepsOffsets(await firstOf(found.bytes))) {
        return this.#collect(this.#range(offset, MOST_OF_RECORD), 0);
      }
      // The first bytes were read: begin again.
      const chunks = this.#range(0, this.#file.length);
      return this.#collect(kind.decode(chunks), offset);
    }
    return this.#collect(kind.decode?.(found.bytes) ?? found.bytes, offset);
  }

  /** @param offset number of bytes that are left out */
  async #collect(chunks: AsyncIterable<Buffer>, offset: number): Promise<Buffer> {
    const taken: Buffer[] = [];
    let [at, length] = [0, 0];
    for await (const chunk of chunks) {
      this.#require(0);
      const part = chunk.subarray(Math.max(0, offset - at));
      at += chunk.length;
      if (at > MOST_READ) throw new TooFar();
      length += part.length;
      taken.push(part);
      if (length >= MOST_OF_RECORD) break;
    }
    return Buffer.concat(taken).subarray(0, MOST_OF_RECORD);
  }

  async *#range(start: number, length: number): AsyncGenerator<Buffer, void, undefined> {
    const part = { start, length: Math.min(length, this.#file.length - start) };
    if (part.length <= 0) return;
    for await (const chunk of await this.#uploads.open(this.#file, part)) {
      this.#require(chunk.length);
      yield chunk;
    }
  }

  #require(bytes: number): void {
    this.#read += bytes;
    if (this.#read > MOST_READ || performance.now() > this.#until) throw new TooFar();
  }
}

async function firstOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  for await (const chunk of chunks) return chunk;
  return Buffer.alloc(0);
}
