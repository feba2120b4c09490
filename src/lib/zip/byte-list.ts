const PIECE_BYTES = 64 * 1024;

/**
 * A list of small byte strings, in a few larger pieces. As a Buffer, each might keep up to 64 kB in memory: the pool
 * that it shares with contents of files. One buffer that grows would leave as much garbage, for a long time.
 */
export class ByteList {
  readonly #full: Buffer[] = [];
  #bytes = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #length = 0;
  #fullLength = 0;
  /** Number of byte strings. */
  count = 0;

  /** Number of bytes. */
  get length(): number {
    return this.#fullLength + this.#length;
  }

  add(piece: Uint8Array): void {
    this.#makeRoom(piece.length);
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
    this.count += 1;
  }

  /** Adds a text as UTF-8. */
  addText(text: string): void {
    // A UTF-16 unit takes at most three bytes.
    this.#makeRoom(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length);
    this.count += 1;
  }

  /** All bytes, in order. */
  get pieces(): readonly Buffer[] {
    return [...this.#full, this.#bytes.subarray(0, this.#length)];
  }

  #makeRoom(most: number): void {
    if (this.#length + most <= this.#bytes.length) return;
    this.#full.push(this.#bytes.subarray(0, this.#length));
    this.#fullLength += this.#length;
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(most, PIECE_BYTES));
    this.#length = 0;
  }
}
