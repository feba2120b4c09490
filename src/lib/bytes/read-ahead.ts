import type { Readable } from 'node:stream';

/** Up to this number of streams read far ahead. With more, the clients are slow, or there are very many. */
const MANY_STREAMS = 200;
const SMALL_CHUNK = 16_384;

let streams = 0;

/** Counts a stream as a reader until it is closed. */
export function countStream(stream: Readable): void {
  stream.once('close', countReader());
}

/** Counts a reader until the returned function is called. */
export function countReader(): () => void {
  streams += 1;
  return () => {
    streams -= 1;
  };
}

/** Whether there are so many readers that most clients must be slow. */
export function manyReaders(): boolean {
  return streams > MANY_STREAMS;
}

/** Bytes to read at once for a client: many slow clients must not each keep a large chunk in memory. */
export function chunkFor(most: number): number {
  return manyReaders() ? Math.min(SMALL_CHUNK, most) : most;
}
