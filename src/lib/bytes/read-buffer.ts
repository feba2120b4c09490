/** Bytes: any offset from a page of more than 31 and less than 4,096 would do. */
const OFFSET = 64;

/**
 * Makes a buffer to read files into. The C library puts large buffers 16 bytes after the beginning of a page. Several
 * AMD processors copy the bytes of a file, which begin with a page, to such a place at a tenth of their speed.
 */
export function readBuffer(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(bytes + OFFSET).subarray(OFFSET);
}
