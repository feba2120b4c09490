import { PassThrough } from 'node:stream';
import { writeTo } from '../../lib/write-to.ts';
import type { UploadedFile } from '../uploads/upload.ts';

/** Chunks that wait for the reader in the thread. */
const MOST_WAITING = 16;

/** The bytes of a file that arrives, for its reader in another thread: first those that are handed over. */
export class ArrivingBytes {
  readonly name: string;
  readonly #handed = new PassThrough({ objectMode: true, highWaterMark: MOST_WAITING });
  #bytes = 0;
  #stored: UploadedFile | undefined;

  constructor(name: string) {
    this.name = name;
    // The reader gets it when it reads.
    this.#handed.on('error', () => {});
  }

  /** The file, when all of it is stored. */
  get stored(): UploadedFile | undefined {
    return this.#stored;
  }

  /** Resolves when there is room for more; false when the reader has ended. */
  hand(chunk: Uint8Array): Promise<boolean> {
    this.#bytes += chunk.length;
    return writeTo(this.#handed, chunk);
  }

  /** What was not handed over is read from the stored file. */
  end(file: UploadedFile): void {
    this.#stored = file;
    this.#handed.end();
  }

  /** The reader fails. */
  abandon(): void {
    this.#handed.destroy(new Error('the upload has failed, or is read when it is whole'));
  }

  /** All bytes. @param rest bytes of the stored file */
  async *read(rest: (artifact: string, start: number, length: number) => AsyncIterable<Uint8Array>) {
    yield* this.#handed as AsyncIterable<Uint8Array>;
    const { artifact, length } = this.#stored!;
    yield* rest(artifact, this.#bytes, length - this.#bytes);
  }
}
