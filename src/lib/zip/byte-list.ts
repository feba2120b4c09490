const FIRST_SIZE = 16 * 1024;

/**
 * A list of small byte strings, stored contiguously. As a Buffer, each might keep up to 64 kB in memory: the pool that
 * it shares with contents of files.
 */
export class ByteList {
  #bytes = Buffer.allocUnsafeSlow(FIRST_SIZE);
  #length = 0;
  /** Number of byte strings. */
  count = 0;

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(piece, this.#length);
    this.#length = length;
    this.count += 1;
  }

  /** Adds a text as UTF-8. */
  addText(text: string): void {
    // A UTF-16 unit takes at most three bytes.
    const most = this.#length + text.length * 3;
    if (most > this.#bytes.length) this.#grow(most);
    this.#length += this.#bytes.write(text, this.#length);
    this.count += 1;
  }

  /** All bytes, concatenated. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, this.#bytes.length * 2));
    larger.set(this.bytes);
    this.#bytes = larger;
  }
}
