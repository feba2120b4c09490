import type { Readable } from 'node:stream';

/** So many may read far ahead; with more of them, clients read slowly, or there are very many clients. */
const MANY_STREAMS = 200;
const SMALL_CHUNK = 16_384;

let streams = 0;

/** Counts a stream until it is closed. */
export function countStream(stream: Readable): void {
  streams += 1;
  stream.once('close', () => {
    streams -= 1;
  });
}

/** Bytes to read at once for a client: many slow ones must not hold a large chunk each. */
export function chunkFor(most: number): number {
  return streams > MANY_STREAMS ? Math.min(SMALL_CHUNK, most) : most;
}
