import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { unlinked } from '../../lib/files/unlinked.ts';

const WRITE_BYTES = 1 << 18;
const READ_BYTES = 1 << 18;

/**
 * Bytes on disk that a run gathers before it is known whether they are published. Where the system permits it, the file
 * has no name while it is written: it disappears when it is closed, or when the process is killed.
 */
export class Spool {
  readonly #file: FileHandle;
  readonly #path: string;
  #isNamed: boolean;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #written = 0;

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
    this.#isNamed = !unlinked(path);
  }

  /** @param folder must exist */
  static async create(folder: string): Promise<Spool> {
    const path = join(folder, `${randomUUID()}.spool`);
    return new Spool(await open(path, 'wx+'), path);
  }

  /** Length in bytes. */
  get length(): number {
    return this.#written + this.#waitingBytes;
  }

  /** Adds bytes at the end. They must not change until `write` or `flush` was awaited. */
  add(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  /** Writes the added bytes, if they are many. */
  async settle(): Promise<void> {
    if (this.#waitingBytes >= WRITE_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#written);
      done += bytesWritten;
      this.#written += bytesWritten;
    }
  }

  /** All bytes from the beginning, as chunks. May be called again. */
  async *read(): AsyncIterable<Buffer> {
    await this.flush();
    for (let at = 0; at < this.#written; ) {
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, this.#written - at));
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new Error(`the temporary file ${this.#path} was cut off`);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
    if (this.#isNamed) unlinked(this.#path);
    this.#isNamed = false;
  }
}
