/** How many are kept for later. */
const MOST_FREE = 32;

/**
 * Buffers of one size that are used again: a new one for each read costs more than reading, since V8 collects all of
 * its garbage for some 50 MB of them.
 */
export class BufferPool {
  readonly bytes: number;
  readonly #free: Buffer[] = [];

  /** @param bytes of each buffer */
  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** A buffer that has bytes of other uses in it. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes);
  }

  /** Only for a buffer that nothing reads or writes any more. */
  give(buffer: Buffer): void {
    if (this.#free.length < MOST_FREE) this.#free.push(buffer);
  }
}
