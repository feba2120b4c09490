import type { Writable } from 'node:stream';

/** Writes, and resolves when there is room for more; false when the stream takes nothing any more. */
export async function writeTo(stream: Writable, chunk: unknown): Promise<boolean> {
  if (stream.destroyed) return false;
  if (stream.write(chunk)) return true;
  const { promise: room, resolve } = Promise.withResolvers<void>();
  stream.once('drain', resolve).once('close', resolve);
  await room;
  // The one that did not come: of thousands, Node would warn.
  stream.off('drain', resolve).off('close', resolve);
  return !stream.destroyed;
}
