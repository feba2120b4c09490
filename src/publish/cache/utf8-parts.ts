/**
 * Bytes of a part. Every part goes to three sinks, each of which hands it to another thread: larger parts mean fewer of
 * those.
 */
const PART = 524_288;
/** The most bytes that UTF-8 takes for one unit of a string. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * Encodes texts as UTF-8, and gathers them, and what is encoded already, into parts: each stays as it is until the next
 * but one is asked for. Small texts are written where they belong at once: joining them first would make large strings,
 * which cost more than all the rest.
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
