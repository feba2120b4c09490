import { UnreadableDocument } from './document-parser.ts';

/**
 * Bytes that are decoded at a time: the entries of one piece are in memory together, and V8 need not move those of a
 * small piece.
 */
const PIECE_BYTES = 8 * 1024;

/** Decodes the bytes of a document as they arrive. */
export class DocumentText {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  /** @throws UnreadableDocument */
  *pieces(chunk: Buffer): Generator<string> {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield this.#decode(chunk.subarray(at, at + PIECE_BYTES));
  }

  /**
   * Decodes the rest after the last chunk.
   * @throws UnreadableDocument
   */
  end(): string {
    return this.#decode();
  }

  #decode(bytes?: Buffer): string {
    try {
      return bytes === undefined ? this.#decoder.decode() : this.#decoder.decode(bytes, { stream: true });
    } catch {
      throw new UnreadableDocument('it is not encoded in UTF-8');
    }
  }
}
