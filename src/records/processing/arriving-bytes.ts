import { PassThrough } from 'node:stream';
import { writeTo } from '../../lib/write-to.ts';
import type { UploadedFile } from '../arrivals/upload.ts';

/** Number of chunks that wait for the reader in the thread. */
const MOST_WAITING = 16;

/**
 * The bytes of an arriving file, for its reader in another thread: first the chunks that are passed to the thread, then
 * the rest of the stored file.
 */
export class ArrivingBytes {
  readonly name: string;
  readonly #handed = new PassThrough({ objectMode: true, highWaterMark: MOST_WAITING });
  #bytes = 0;
  #stored: UploadedFile | undefined;

  constructor(name: string) {
    this.name = name;
    // The reader gets the error when it reads.
    this.#handed.on('error', () => {});
  }

  /** The stored file, once it is complete. */
  get stored(): UploadedFile | undefined {
    return this.#stored;
  }

  /** Resolves when there is room for more chunks; false when the reader has ended. */
  hand(chunk: Uint8Array): Promise<boolean> {
    this.#bytes += chunk.length;
    return writeTo(this.#handed, chunk);
  }

  /** Ends the passed chunks. The rest is read from the stored file. */
  end(file: UploadedFile): void {
    this.#stored = file;
    this.#handed.end();
  }

  /** Makes the reader fail. */
  abandon(): void {
    this.#handed.destroy(new Error('the upload has failed, or is read when it is whole'));
  }

  /** All bytes. @param rest reads bytes of the stored file */
  async *read(rest: (artifact: string, start: number, length: number) => AsyncIterable<Uint8Array>) {
    yield* this.#handed as AsyncIterable<Uint8Array>;
    const { artifact, length } = this.#stored!;
    yield* rest(artifact, this.#bytes, length - this.#bytes);
  }
}
