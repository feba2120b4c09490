import { isUtf8 } from 'node:buffer';
import { firstInvalid, wholeCharacters } from '../../../lib/bytes/utf8.ts';
import { RecordJoiner } from './join-records.ts';
import { MarcXmlParser, UnreadableXml } from './marcxml-parser.ts';
import type { ReadRecord } from './read-record.ts';

/** Bytes. */
const PIECE = 1_024;

/**
 * Reads a file of MARCXML in UTF-8. An erratum within a record concerns only that record, also one of a character that
 * UTF-8 or XML does not have; another erratum of the XML itself is the last: the rest of the file cannot be read.
 * @see ReadMarc for its promises
 */
export async function* readMarcXml(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly ReadRecord[], void, undefined> {
  const text = new TextReader();
  const parser = new MarcXmlParser();
  const joiner = new RecordJoiner(Infinity);
  for await (const chunk of chunks) {
    const isReadable = parse(parser, () => text.push(parser, chunk));
    const read: ReadRecord[] = [];
    for (const part of parser.take()) joiner.add(part, read);
    if (!isReadable) joiner.end(read);
    if (read.length > 0) yield read;
    if (!isReadable) return;
  }
  parse(parser, () => text.end(parser));
  const read: ReadRecord[] = [];
  for (const part of parser.take()) joiner.add(part, read);
  joiner.end(read);
  if (read.length > 0) yield read;
}

/** @returns whether the XML can be read further */
function parse(parser: MarcXmlParser, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!(error instanceof UnreadableXml)) throw error;
    parser.fail(error);
    return false;
  }
}

/** Decodes a file as it arrives, and passes the text to the parser. */
class TextReader {
  #rest: Buffer = Buffer.alloc(0);

  push(parser: MarcXmlParser, chunk: Uint8Array): void {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const whole = wholeCharacters(bytes);
    this.#rest = bytes.subarray(whole);
    write(parser, bytes.subarray(0, whole));
  }

  end(parser: MarcXmlParser): void {
    write(parser, this.#rest);
    parser.end();
  }
}

function write(parser: MarcXmlParser, bytes: Buffer): void {
  if (isUtf8(bytes)) {
    parser.write(bytes.toString('utf8'), bytes.length);
    return;
  }
  // In pieces, because the search for a byte reads all of a piece several times.
  for (let rest = bytes; rest.length > 0; ) {
    const piece = rest.subarray(0, rest.length > PIECE ? wholeCharacters(rest.subarray(0, PIECE)) : rest.length);
    const valid = isUtf8(piece) ? piece.length : firstInvalid(piece);
    if (valid > 0) parser.write(piece.toString('utf8', 0, valid), valid);
    if (valid < piece.length) parser.writeInvalid(piece[valid]!);
    rest = rest.subarray(Math.min(valid + 1, piece.length));
  }
}
