import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { FetchFailure } from '../../client/read/fetcher.ts';

const CHUNK = { chunkSize: 64 * 1024 };
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(CHUNK),
  'x-gzip': () => createGunzip(CHUNK),
  deflate: () => createInflate(CHUNK),
  br: () => createBrotliDecompress(CHUNK),
  zstd: () => createZstdDecompress(CHUNK),
};
/** A body that becomes more than so many times as long is a bomb, unless it is short. */
const MOST_EXPANSION = 200;
const SHORT_BYTES = 16 * 1024 * 1024;

/**
 * Yields the bytes of a body without its Content-Encoding, which a server may send though none was accepted.
 * @throws FetchFailure for an unknown coding, for a body that is not in it, and for a bomb
 */
export async function* decodedBody(body: AsyncIterable<Uint8Array>, codings: string): AsyncGenerator<Uint8Array> {
  const decoder = DECODERS[codings]?.();
  if (decoder === undefined) throw new FetchFailure(`it comes with the Content-Encoding ${codings.slice(0, 100)}`);
  let sent = 0;
  const counted = async function* () {
    for await (const chunk of body) {
      sent += chunk.length;
      yield chunk;
    }
  };
  const source = Readable.from(counted());
  // An error of either stream destroys the other.
  pipeline(source, decoder, () => {});
  let length = 0;
  try {
    for await (const chunk of decoder as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > SHORT_BYTES && length > sent * MOST_EXPANSION) {
        throw new FetchFailure(`unpacked, it is more than ${MOST_EXPANSION} times as long as what the server sends`);
      }
      yield chunk;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw new FetchFailure(`it is not in the Content-Encoding ${codings}, as it says`);
  } finally {
    source.destroy();
    decoder.destroy();
  }
}

const isZlibError = (error: unknown) =>
  /^(?:Z_|ERR_(?:BROTLI|ZSTD|_ERROR)|ERR__|ZSTD)/.test(String((error as NodeJS.ErrnoException).code));
