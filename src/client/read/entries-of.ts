import type { Entry } from './document.ts';
import { type DocumentParser, UnreadableDocument } from './document-parser.ts';

/**
 * Bytes that are decoded at a time: the entries of one piece are in memory together, and V8 need not move those of a
 * small piece.
 */
const PIECE_BYTES = 16 * 1024;

/**
 * Parses a document as its bytes arrive. Yields the entries of each piece, which may be none. From a document whose end
 * is missing or cannot be read, it yields the entries before the fault.
 * @throws UnreadableDocument also when the document is not encoded in UTF-8, and what the chunks throw
 */
export async function* entriesOf(
  chunks: AsyncIterable<Buffer>,
  parser: DocumentParser,
): AsyncGenerator<readonly Entry[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Buffer) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new UnreadableDocument('it is not encoded in UTF-8');
    }
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      yield parser.write(decode(chunk.subarray(at, at + PIECE_BYTES)));
    }
  }
  yield parser.write(decode());
  parser.end();
}
