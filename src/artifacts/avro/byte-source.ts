/** Reads bytes in order, in pieces of any size, from chunks of any size. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #held: Uint8Array[] = [];
  #heldLength = 0;
  /** Number of bytes taken so far. */
  offset = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** Returns the next bytes without taking them; fewer at the end. */
  async next(length: number): Promise<Buffer> {
    while (this.#heldLength < length && (await this.#hold()));
    if (this.#held.length > 1 && this.#held[0]!.length < length)
      this.#held.splice(0, Infinity, Buffer.concat(this.#held));
    const [first = new Uint8Array()] = this.#held;
    return Buffer.from(first.buffer, first.byteOffset, Math.min(length, first.length));
  }

  /** Takes bytes that `next` has returned. */
  take(length: number): void {
    const [first] = this.#held;
    if (first === undefined) return;
    if (length < first.length) this.#held[0] = first.subarray(length);
    else this.#held.shift();
    this.#heldLength -= length;
    this.offset += length;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #hold(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    if (value.length > 0) this.#held.push(value);
    this.#heldLength += value.length;
    return true;
  }
}
