import { closeSync, openSync, rmSync } from 'node:fs';
import { writeAll, writeAllSync } from '../../../lib/files/write-all.ts';
import { cannotBeWritten } from '../cannot-be-written.ts';
import type { StagedFile, UnfinishedFile } from './mirror-target.ts';

/** A file with more bytes is written to disk as they arrive. */
const SMALL_BYTES = 64 * 1024;
/** Bytes of all small files in memory. */
const MOST_KEPT_BYTES = 16 * 1024 * 1024;

/** The bytes of complete small files, in memory, so that many are written together. */
export class KeptBytes {
  readonly #files = new Map<StagedFile, Buffer>();
  #bytes = 0;

  hasRoomFor(length: number): boolean {
    return length <= SMALL_BYTES && this.#bytes + length <= MOST_KEPT_BYTES;
  }

  keep(file: StagedFile, bytes: Buffer): void {
    this.#files.set(file, bytes);
    this.#bytes += bytes.length;
  }

  /** Returns undefined when the file is on disk already. */
  take(file: StagedFile): Buffer | undefined {
    const bytes = this.#files.get(file);
    this.#files.delete(file);
    this.#bytes -= bytes?.length ?? 0;
    return bytes;
  }
}

/** A file that is not visible at its path until it is renamed. A small one is on disk only once it is published. */
export class LocalFile implements UnfinishedFile {
  readonly #path: string;
  readonly #root: string;
  readonly #kept: KeptBytes;
  #pieces: Buffer[] = [];
  #length = 0;
  #fd: number | undefined;

  /** @param root the root of the copy, as errors name it */
  constructor(path: string, { root, kept }: { readonly root: string; readonly kept: KeptBytes }) {
    this.#path = path;
    this.#root = root;
    this.#kept = kept;
  }

  write(bytes: Uint8Array): void | Promise<void> {
    this.#length += bytes.length;
    if (this.#fd === undefined && this.#kept.hasRoomFor(this.#length)) {
      // A copy, because the chunk may be a small part of a larger buffer, which would stay in memory.
      this.#pieces.push(Buffer.from(bytes));
      return;
    }
    try {
      const fd = this.#open();
      if (bytes.length > SMALL_BYTES) return writeAll(fd, bytes).catch((error) => this.#fail(error));
      // For few bytes, this takes a fraction of the time of an asynchronous call.
      writeAllSync(fd, bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  finish(): StagedFile {
    const [first] = this.#pieces;
    const isWhole = first?.length === this.#length;
    if (this.#fd === undefined) this.#kept.keep(this.#path, isWhole ? first : Buffer.concat(this.#pieces));
    this.#close();
    return this.#path;
  }

  async discard(): Promise<void> {
    this.#pieces = [];
    if (this.#fd === undefined) return;
    this.#close();
    rmSync(this.#path, { force: true });
  }

  /** Creates the file, with the bytes so far. */
  #open(): number {
    this.#fd ??= openSync(this.#path, 'wx');
    for (const piece of this.#pieces.splice(0)) writeAllSync(this.#fd, piece);
    return this.#fd;
  }

  #fail(error: unknown): never {
    throw cannotBeWritten(this.#root, error);
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
