/**
 * Bytes of a part. Every part goes to three sinks, each of which passes it to another thread: larger parts reduce the
 * number of these transfers.
 */
const PART = 524_288;
/** Most bytes of UTF-8 for one UTF-16 code unit. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * Encodes texts as UTF-8, and gathers them, and bytes that are encoded already, into parts. A part stays unchanged
 * until the next but one is requested. Texts are encoded directly into the part: joining them first would make large
 * strings, which cost more than all the rest.
 */
export async function* utf8Parts(texts: AsyncIterable<string | Buffer>): AsyncIterable<Buffer> {
  let part = Buffer.allocUnsafeSlow(PART);
  let other = Buffer.allocUnsafeSlow(PART);
  let length = 0;
  for await (const text of texts) {
    const isText = typeof text === 'string';
    const most = isText ? text.length * MOST_BYTES_PER_UNIT : text.length;
    if (most > part.length - length) {
      if (length > 0) yield part.subarray(0, length);
      [part, other] = [other, part];
      length = 0;
      if (!isText && most > part.length) {
        for (let at = 0; at < text.length; at += PART) yield text.subarray(at, at + PART);
        continue;
      }
      if (most > part.length) part = Buffer.allocUnsafeSlow(most);
    }
    length += isText ? part.write(text, length) : text.copy(part, length);
  }
  if (length > 0) yield part.subarray(0, length);
}
