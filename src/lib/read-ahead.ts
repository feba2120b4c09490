import type { Readable } from 'node:stream';

/** So many may read far ahead; with more of them, clients read slowly, or there are very many clients. */
const MANY_STREAMS = 200;
const SMALL_CHUNK = 16_384;

let streams = 0;

/** Counts a stream until it is closed. */
export function countStream(stream: Readable): void {
  stream.once('close', countReader());
}

/** Counts what is read for a client until the result is called. */
export function countReader(): () => void {
  streams += 1;
  return () => {
    streams -= 1;
  };
}

/** Whether so many are read for that most of the clients must be slow. */
export function manyReaders(): boolean {
  return streams > MANY_STREAMS;
}

/** Bytes to read at once for a client: many slow ones must not hold a large chunk each. */
export function chunkFor(most: number): number {
  return manyReaders() ? Math.min(SMALL_CHUNK, most) : most;
}
