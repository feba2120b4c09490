/** Finds the places of characters in a file of which the text is parsed piece by piece. */
export class TextPlace {
  /** The piece that was written last; characters and bytes before it. */
  #piece = '';
  #charactersBefore = 0;
  #bytesBefore = 0;
  #bytes = 0;
  /** The place in the piece that was asked for last, so that no part is measured twice. */
  #measured = { characters: 0, bytes: 0 };

  /** Bytes of all pieces. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Characters of all pieces, in units of UTF-16. */
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

  /** Bytes before a character of the last piece that is not before the one that was asked for last. */
  bytesBefore(position: number): number {
    const measured = this.#measured;
    const characters = Math.max(position - this.#charactersBefore, measured.characters);
    measured.bytes += Buffer.byteLength(this.#piece.slice(measured.characters, characters));
    measured.characters = characters;
    return this.#bytesBefore + measured.bytes;
  }
}
