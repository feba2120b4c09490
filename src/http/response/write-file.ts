import type { Writable } from 'node:stream';
import { BufferPool } from '../../lib/bytes/buffer-pool.ts';
import { countReader, manyReaders } from '../../lib/bytes/read-ahead.ts';
import type { FileBytes } from '../../sources/served-source.ts';

/** Bytes that are read at once: larger chunks are hardly faster. */
const pool = new BufferPool(262_144);
/** The same when so many clients are reading that most of them must be slow. */
const SMALL_CHUNK = 16_384;

/**
 * Writes the bytes of a file as fast as the client reads them. Returns their number: fewer when the client
 * disconnected.
 * @param length the expected number of bytes
 */
export async function writeFile(to: Writable, file: FileBytes, length: number): Promise<number> {
  const end = countReader();
  const isPooled = !manyReaders();
  const buffer = isPooled ? pool.take() : Buffer.allocUnsafeSlow(SMALL_CHUNK);
  let sent = 0;
  try {
    while (sent < length && !to.destroyed) {
      const read = await file.read(buffer.subarray(0, length - sent));
      if (read === 0) break;
      await written(to, buffer.subarray(0, read));
      sent += read;
    }
    // Bytes that were not sent yet may still refer to the buffer.
    if (isPooled && !to.destroyed) pool.give(buffer);
  } finally {
    end();
  }
  return sent;
}

/** Resolves when the system has accepted the bytes, or the connection was closed. */
function written(to: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    to.write(bytes, () => resolve());
  });
}
