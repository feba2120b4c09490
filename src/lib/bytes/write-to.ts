import type { Writable } from 'node:stream';

/** Writes, and resolves when there is room for more; with false when the stream is closed. */
export async function writeTo(stream: Writable, chunk: unknown): Promise<boolean> {
  if (stream.destroyed) return false;
  if (stream.write(chunk)) return true;
  const { promise: room, resolve } = Promise.withResolvers<void>();
  stream.once('drain', resolve).once('close', resolve);
  await room;
  // Removes the listener that was not called: Node would warn about thousands of them.
  stream.off('drain', resolve).off('close', resolve);
  return !stream.destroyed;
}
