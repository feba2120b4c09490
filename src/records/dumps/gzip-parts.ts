import { createGzip, type Gzip } from 'node:zlib';

/** Bytes of a compressed chunk: with Node's 16 KiB, passing the chunks takes as long as compressing them. */
const OUTPUT_BYTES = 256 * 1024;

interface GzipOptions {
  /** Compression level, 1 to 9. */
  readonly level: number;
  /** Called with each part when its bytes are no longer needed. */
  readonly onPacked?: ((part: Buffer) => void) | undefined;
}

/** Compresses the parts of a file, one after the other, in a thread of zlib. */
export async function* gzipParts(
  parts: AsyncIterable<Buffer>,
  { level, onPacked }: GzipOptions,
): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level, chunkSize: OUTPUT_BYTES });
  // An error also ends the loop below.
  const written = writeAll(gzip, parts, onPacked).catch((error: unknown) => {
    gzip.destroy(error as Error);
  });
  yield* gzip;
  await written;
}

async function writeAll(gzip: Gzip, parts: AsyncIterable<Buffer>, onPacked: GzipOptions['onPacked']): Promise<void> {
  for await (const part of parts) {
    await new Promise<void>((resolve, reject) => {
      gzip.write(part, (error) => (error == null ? resolve() : reject(error)));
    });
    onPacked?.(part);
  }
  gzip.end();
}
