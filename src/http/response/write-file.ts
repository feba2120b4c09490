import type { Writable } from 'node:stream';
import { BufferPool } from '../../lib/buffer-pool.ts';
import { countReader, manyReaders } from '../../lib/read-ahead.ts';
import type { FileBytes } from '../../sources/served-source.ts';

/** Bytes that are read at once: larger ones are hardly faster. */
const pool = new BufferPool(262_144);
/** The same, when so many clients are sent something that most of them must be slow. */
const SMALL_CHUNK = 16_384;

/**
 * Writes the bytes of a file as fast as the client takes them. Returns how many came: fewer when the client went away.
 * @param length how many there should be
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
    // What was not taken may still be on its way.
    if (isPooled && !to.destroyed) pool.give(buffer);
  } finally {
    end();
  }
  return sent;
}

/** Resolves when the system has taken the bytes, or the connection was closed. */
function written(to: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    to.write(bytes, () => resolve());
  });
}
