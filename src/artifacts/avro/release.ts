/**
 * Frees a buffer at once. The garbage collector runs after every few megabytes of buffers, or lets them accumulate. A
 * buffer of at most `Buffer.poolSize` is not freed: it may be Node's pool, which other Buffers share.
 */
export function release(bytes: Uint8Array): void {
  if (bytes.buffer.byteLength > Buffer.poolSize) releaseOwn(bytes);
}

/** Frees the buffer of bytes that share it with no other. */
export function releaseOwn({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
