/** Number of free buffers that are kept. */
const MOST_FREE = 32;

/**
 * Reuses buffers of one size. A new buffer for each read would cost more than the read: V8 runs a full garbage
 * collection for every 50 MB or so of them.
 */
export class BufferPool {
  readonly bytes: number;
  readonly #free: Buffer[] = [];

  /** @param bytes size of each buffer */
  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** Returns a buffer with arbitrary old content. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes);
  }

  /** Takes a buffer back. Nothing may read or write it any more. */
  give(buffer: Buffer): void {
    if (this.#free.length < MOST_FREE) this.#free.push(buffer);
  }
}
