/** Bytes of a part. Every part goes to three sinks, each of which hands it to another thread: larger parts mean fewer of those. */
const PART = 524_288;
/** The most bytes that UTF-8 takes for one unit of a string. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * Encodes texts as UTF-8, and gathers them into parts: each stays as it is until the next but one is asked for. Small texts are written
 * where they belong at once: joining them first would make large strings, which cost more than all the rest.
 */
export async function* utf8Parts(texts: AsyncIterable<string>): AsyncIterable<Buffer> {
  let part = Buffer.allocUnsafeSlow(PART);
  let other = Buffer.allocUnsafeSlow(PART);
  let length = 0;
  for await (const text of texts) {
    const most = text.length * MOST_BYTES_PER_UNIT;
    if (most > part.length - length) {
      if (length > 0) yield part.subarray(0, length);
      [part, other] = [other, part];
      if (most > part.length) part = Buffer.allocUnsafeSlow(most);
      length = 0;
    }
    length += part.write(text, length);
  }
  if (length > 0) yield part.subarray(0, length);
}
