import { closeSync, openSync, rmSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { StagedFile, UnfinishedFile } from './mirror-target.ts';

const writeBytes = promisify(write);
/** Less is written with a synchronous call, which takes a fraction of the time of one in the threads of Node. */
const SMALL_BYTES = 64 * 1024;

/** A file that only its owner can find, until it is renamed. It is made with its first bytes. */
export class LocalFile implements UnfinishedFile {
  readonly #path: string;
  #fd: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  write(bytes: Uint8Array): void | Promise<void> {
    this.#fd ??= openSync(this.#path, 'wx');
    if (bytes.length > SMALL_BYTES) return writeAll(this.#fd, bytes);
    // A full disk may take a part of what it is given.
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#fd, bytes, written);
  }

  async finish(): Promise<StagedFile> {
    this.#fd ??= openSync(this.#path, 'wx');
    this.#close();
    return this.#path;
  }

  async discard(): Promise<void> {
    this.#close();
    rmSync(this.#path, { force: true });
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await writeBytes(fd, bytes, written, bytes.length - written, null);
    written += bytesWritten;
  }
}
