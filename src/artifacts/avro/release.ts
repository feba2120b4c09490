/**
 * Gives memory back now: the garbage collector comes for every few megabytes of buffers, or lets them gather. What is
 * not larger than a buffer that Node has for many stays: it may be in that.
 */
export function release(bytes: Uint8Array): void {
  if (bytes.buffer.byteLength > Buffer.poolSize) releaseOwn(bytes);
}

/** Of bytes that have a buffer of their own. */
export function releaseOwn({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
