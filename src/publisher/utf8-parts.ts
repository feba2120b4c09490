/** Bytes of a part. Every part goes to three sinks, each of which hands it to another thread: larger parts mean fewer of those. */
const PART = 1_048_576;
/** The most bytes that UTF-8 takes for one unit of a string. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * Encodes texts as UTF-8, and gathers them into parts. Small texts are written where they belong at once: joining them first
 * would make large strings, which cost more than all the rest.
 */
export async function* utf8Parts(texts: AsyncIterable<string>): AsyncIterable<Buffer> {
  let part = Buffer.allocUnsafeSlow(PART);
  let length = 0;
  for await (const text of texts) {
    if (text.length * MOST_BYTES_PER_UNIT > PART - length) {
      if (length > 0) yield part.subarray(0, length);
      // A part that was given out may still be on its way to the disk.
      part = Buffer.allocUnsafeSlow(Math.max(PART, text.length * MOST_BYTES_PER_UNIT));
      length = 0;
    }
    length += part.write(text, length);
  }
  if (length > 0) yield part.subarray(0, length);
}
