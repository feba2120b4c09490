/** Bytes. Collecting the memory of fewer bytes together costs less. */
const LEAST = 16 * 1024;

/**
 * Frees the memory of bytes that are of no use any more, if nothing else can be in it. V8 frees it only when it
 * collects garbage, before which dozens of megabytes of a body may have passed. The bytes cannot be read afterwards.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  const isAll = buffer instanceof ArrayBuffer && byteLength === buffer.byteLength;
  if (isAll && byteLength >= LEAST) buffer.transfer(0);
}
