/** Converts positions of characters to byte offsets in a file whose text is parsed piece by piece. */
export class TextPlace {
  /** The last piece that was written, and the number of characters and bytes before it. */
  #piece = '';
  #charactersBefore = 0;
  #bytesBefore = 0;
  #bytes = 0;
  /** The last requested position in the piece, so that no part is measured twice. */
  #measured = { characters: 0, bytes: 0 };

  /** Number of bytes of all pieces. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of characters of all pieces, in UTF-16 code units. */
  get characters(): number {
    return this.#charactersBefore + this.#piece.length;
  }

  write(piece: string, bytes: number): void {
    this.#charactersBefore += this.#piece.length;
    this.#piece = piece;
    this.#bytesBefore = this.#bytes;
    this.#bytes += bytes;
    this.#measured = { characters: 0, bytes: 0 };
  }

  /** Number of bytes before a character of the last piece. The position must not be before the last requested one. */
  bytesBefore(position: number): number {
    const measured = this.#measured;
    const characters = Math.max(position - this.#charactersBefore, measured.characters);
    measured.bytes += Buffer.byteLength(this.#piece.slice(measured.characters, characters));
    measured.characters = characters;
    return this.#bytesBefore + measured.bytes;
  }
}
