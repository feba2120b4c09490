/** The first bytes of a file, for a message. */
export function hexOf(head: Buffer): string {
  return `the bytes ${[...head.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')}`;
}
