import { write, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const writeBytes = promisify(write);

/** Writes all bytes at the current position of a file: a write to a nearly full disk may be partial. It blocks. */
export function writeAllSync(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/** As `writeAllSync`, but does not block. @param position of the first byte; the current one by default */
export async function writeAll(fd: number, bytes: Uint8Array, position?: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const at = position === undefined ? null : position + written;
    written += (await writeBytes(fd, bytes, written, bytes.length - written, at)).bytesWritten;
  }
}
