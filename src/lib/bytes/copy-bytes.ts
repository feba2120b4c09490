/**
 * Copies bytes into a target, from a position on. Of memory that threads share, `TypedArray.set` and `Buffer.copy` copy
 * byte by byte, at 2 to 6 GB/s; `Buffer.fill` copies at once, at 35 GB/s.
 */
export function copyBytes(from: Uint8Array, to: Uint8Array, at: number): void {
  if (!isShared(from) && !isShared(to)) to.set(from, at);
  else Buffer.from(to.buffer, to.byteOffset, to.length).fill(from, at, at + from.length);
}

function isShared({ buffer }: Uint8Array): boolean {
  return buffer instanceof SharedArrayBuffer;
}
