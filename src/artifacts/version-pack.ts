import { TidemarkError } from '../core/errors.ts';
import { readDirectory } from '../lib/zip/read-directory.ts';
import { ZipWriter } from '../lib/zip/zip-writer.ts';
import type { ArtifactStore, ListedObject } from './artifact-store.ts';

/** Bytes of a builder's first buffer. */
const FIRST_BYTES = 512 * 1024;

interface PackedVersion {
  /** The SHA-256 of its bytes. */
  readonly digest: string;
  /** Seconds since 1970. */
  readonly modified: number;
}

/**
 * Makes a pack of versions: a ZIP file, not compressed, in which each entry is named by the SHA-256 of its bytes. So
 * any program for ZIP files can list and extract the versions, and each can be read alone by its position. To a file
 * system or a bucket, many small versions are one object.
 */
export class PackBuilder {
  #zip = new ZipWriter();
  /** Positions of the versions so far, by their digests. */
  readonly #offsets = new Map<string, number>();
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  get versions(): number {
    return this.#zip.entries;
  }

  /** Adds a copy of the bytes of a version, unless it has them. Returns their position in bytes in the pack. */
  add({ digest, modified }: PackedVersion, bytes: Uint8Array): number {
    const known = this.#offsets.get(digest);
    if (known !== undefined) return known;
    const [header, data] = this.#zip.add({ name: digest, modified, compress: false }, bytes);
    this.#append(header);
    const offset = this.#length;
    this.#append(data);
    this.#offsets.set(digest, offset);
    return offset;
  }

  /** The bytes of the pack, valid until the next `add`, which begins another one. */
  finish(): Uint8Array {
    for (const piece of this.#zip.end()) this.#append(piece);
    const pack = this.#buffer.subarray(0, this.#length);
    this.#zip = new ZipWriter();
    this.#offsets.clear();
    this.#length = 0;
    return pack;
  }

  #append(bytes: Uint8Array): void {
    const end = this.#length + bytes.length;
    if (end > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = end;
  }
}

/** A version in a pack. */
export interface VersionInPack {
  readonly digest: string;
  /** Position of its bytes in the pack. */
  readonly offset: number;
  /** Bytes. */
  readonly length: number;
}

/** Bytes at the end of a pack that are read first: the directory of 400 versions. */
const TAIL_BYTES = 64 * 1024;
const NOTHING = new Uint8Array();

/**
 * Lists the versions of a pack. Most often one read suffices.
 * @throws TidemarkError `not-found`; `invalid` when it is not a pack
 */
export async function readPack(
  artifacts: Pick<ArtifactStore, 'readSmall'>,
  { key, length }: Pick<ListedObject, 'key' | 'length'>,
): Promise<readonly VersionInPack[]> {
  const read = async (bytes: number) => {
    const tail = bytes === 0 ? NOTHING : await artifacts.readSmall(key, { start: length - bytes, length: bytes });
    try {
      return readDirectory(tail, length);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new TidemarkError('invalid', `${key} is not a pack of versions: ${error.message}`, { key }, error);
    }
  };
  const entries = (await read(Math.min(length, TAIL_BYTES))) ?? (await read(length)) ?? [];
  return entries.map(({ name, ...place }) => ({ digest: name, ...place }));
}
