/** Most bytes in a stored block (RFC 1951, 3.2.4). */
const BLOCK = 65_535;
const HEADER = 5;

/** Length in bytes of a content as stored blocks. */
export function storedLength(length: number): number {
  return length + HEADER * Math.max(1, Math.ceil(length / BLOCK));
}

/**
 * Encodes a content as a Deflate stream of uncompressed blocks. A streaming reader can find its end, unlike that of a
 * stored entry whose length follows its data. Its length is known in advance: see `storedLength`.
 * @param length bytes of the content, needed because the last block is marked as the last
 */
export async function* storedBlocks(
  content: AsyncIterable<Uint8Array>,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let rest = length;
  let open = 0;
  if (length === 0) yield blockHeader(0, true);
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; ) {
      if (open === 0) {
        if (rest === 0) throw new Error(`the content is longer than ${length} bytes`);
        open = Math.min(BLOCK, rest);
        rest -= open;
        yield blockHeader(open, rest === 0);
      }
      const part = chunk.subarray(at, at + open);
      at += part.length;
      open -= part.length;
      yield part;
    }
  }
}

function blockHeader(length: number, isLast: boolean): Uint8Array {
  return Uint8Array.of(isLast ? 1 : 0, length & 0xff, length >> 8, ~length & 0xff, (~length >> 8) & 0xff);
}
