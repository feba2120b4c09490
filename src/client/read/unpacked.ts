import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isGzip } from '../../lib/http/content-codings.ts';
import { type Fetched, FetchFailure } from './fetcher.ts';
import { ReadFailure } from './read-failure.ts';

/** Bytes of each chunk: with the 16 kB of Node, decompression takes twice as long. */
const CHUNK_BYTES = 64 * 1024;

/** Thrown when a body is longer than allowed. */
export class TooLarge extends ReadFailure {}

/**
 * Yields the bytes of a response without their Content-Encoding, up to a limit.
 * @throws TooLarge
 * @throws FetchFailure
 */
export async function* unpacked(fetched: Fetched, mostBytes: number): AsyncGenerator<Buffer> {
  const encoding = fetched.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') yield* limited(fetched.body, mostBytes);
  else if (isGzip(encoding)) yield* gunzipped(fetched.body, mostBytes);
  else {
    fetched.discard();
    throw new FetchFailure(`it comes with the Content-Encoding ${encoding}, though only gzip was accepted`);
  }
}

/**
 * Decompresses content that is gzipped without a header that says so, such as a file `.xml.gz`; passes on other
 * content.
 */
export async function* unpackedFile(chunks: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  let begin = Buffer.alloc(0);
  const rest = async function* () {
    yield begin;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  try {
    // The first chunk of a slow server may be a single byte.
    while (begin.length < 2) {
      const next = await iterator.next();
      if (next.done) break;
      begin = Buffer.concat([begin, next.value]);
    }
    const isPacked = begin[0] === 0x1f && begin[1] === 0x8b;
    yield* isPacked ? gunzipped(rest(), mostBytes) : rest();
  } finally {
    // Ending a generator that was not started does not end the iterator that it would read.
    await iterator.return?.(undefined);
  }
}

async function* gunzipped(chunks: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Buffer> {
  const source = Readable.from(chunks);
  const unzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // An error of either stream destroys the other.
  pipeline(source, unzip, () => {});
  try {
    yield* limited(unzip, mostBytes);
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw new FetchFailure(`it is not packed with gzip as it says: ${(error as Error).message}`);
  } finally {
    source.destroy();
    unzip.destroy();
  }
}

const isZlibError = (error: unknown) => String((error as NodeJS.ErrnoException).code).startsWith('Z_');

/** Passes on bytes up to a limit. @throws TooLarge */
export async function* limited(chunks: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new TooLarge(`it has more than ${mostBytes.toLocaleString('en-US')} bytes`);
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  }
}
