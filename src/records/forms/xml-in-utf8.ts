import { WrongEncoding } from './wrong-encoding.ts';

/** The encoding of XML follows from its first bytes, or is in its declaration, which is then ASCII. */
const DECLARED = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/;
const DECLARATION = /^((?:\xef\xbb\xbf|\ufeff)?<\?xml[^>]*?)\sencoding\s*=\s*["'][^"']*["']/;
/**
 * A declaration that can be read as ASCII is not in UTF-16, whatever it says: some programs declare the encoding of
 * their text in memory.
 */
const IS_UTF8 = /^utf-?(8|16)/i;

/**
 * The encoding of an XML file: a name that TextDecoder knows, or the unknown one of the declaration. UTF-16 has a byte
 * order mark, or is recognized by the zeros beside its first `<`.
 */
export function xmlEncoding(head: Buffer): string {
  const first = head.toString('latin1', 0, 2);
  if (first === '\xfe\xff' || first === '\0<') return 'utf-16be';
  if (first === '\xff\xfe' || first === '<\0') return 'utf-16le';
  const declared = DECLARED.exec(head.toString('latin1', 0, 1024))?.[1] ?? 'utf-8';
  return IS_UTF8.test(declared) ? 'utf-8' : declared;
}

/**
 * Converts XML to UTF-8 from any encoding, and removes a declaration of another encoding.
 * @param chunks the first contains the whole declaration, as after `identify`
 * @throws WrongEncoding for bytes that are not in its encoding
 */
export async function* xmlInUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    if (decoder !== undefined) yield Buffer.from(decode(decoder, chunk));
    else {
      const encoding = xmlEncoding(chunk);
      if (encoding === 'utf-8') {
        yield withoutUtf16(chunk);
        yield* chunks;
        return;
      }
      decoder = new TextDecoder(encoding, { fatal: true });
      yield Buffer.from(decode(decoder, chunk).replace(DECLARATION, '$1'));
    }
  }
  if (decoder !== undefined) yield Buffer.from(decode(decoder));
}

/** Whether offsets are the same before and after the conversion. @param head the first bytes of a file */
export function keepsOffsets(head: Buffer): boolean {
  return xmlEncoding(head) === 'utf-8' && withoutUtf16(head) === head;
}

/** Without a declaration of UTF-16. */
function withoutUtf16(chunk: Buffer): Buffer {
  if (!/^utf-?16/i.test(DECLARED.exec(chunk.toString('latin1', 0, 1024))?.[1] ?? '')) return chunk;
  return Buffer.from(chunk.toString('latin1').replace(DECLARATION, '$1'), 'latin1');
}

/** @param chunk undefined at the end */
function decode(decoder: TextDecoder, chunk?: Buffer): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    const encoding = decoder.encoding.toUpperCase();
    throw new WrongEncoding(`it has bytes that are not ${encoding}, its encoding: save it as UTF-8`);
  }
}
