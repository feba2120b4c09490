const FIRST_SIZE = 16 * 1024;

/**
 * Small pieces of bytes, copied one behind the other. Each as a Buffer of its own would keep up to 64 kB in memory: the
 * pool of which Node makes small buffers, with the content of the files beside it.
 */
export class ByteList {
  #bytes = Buffer.allocUnsafeSlow(FIRST_SIZE);
  #length = 0;
  /** How many pieces there are. */
  count = 0;

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(piece, this.#length);
    this.#length = length;
    this.count += 1;
  }

  /** The same with the UTF-8 of a text. */
  addText(text: string): void {
    // No UTF-16 unit takes more bytes.
    const most = this.#length + text.length * 3;
    if (most > this.#bytes.length) this.#grow(most);
    this.#length += this.#bytes.write(text, this.#length);
    this.count += 1;
  }

  /** All of them. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, this.#bytes.length * 2));
    larger.set(this.bytes);
    this.#bytes = larger;
  }
}
