import type { ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { http } from '../../lib/http/node-http.ts';

/**
 * Largest body, in bytes, that is copied into a text: this takes less time than writing it separately from its head.
 */
export const MOST_BYTES_OF_TEXT = 16_384;

export interface Bytes {
  readonly body: Readable | Buffer;
  readonly length: number;
  /** Milliseconds for which a client may read nothing. */
  readonly idleTimeoutMs: number;
}

/**
 * Sends a body of a known length. When it has fewer bytes (a file became shorter meanwhile), the connection is cut:
 * otherwise the client would wait, or take the response for complete.
 */
export async function sendBytes(response: ServerResponse, { body, length, idleTimeoutMs }: Bytes): Promise<void> {
  if (Buffer.isBuffer(body)) {
    if (body.length !== length) response.destroy();
    // A text is written together with the head, by one system call.
    else if (length <= MOST_BYTES_OF_TEXT) response.end(body.toString('latin1'), 'latin1');
    else response.end(body);
    limitIdleTime(response, idleTimeoutMs);
    return;
  }
  response.setTimeout(idleTimeoutMs);
  await stream(response, body, length);
}

/** Cuts the connection when the client reads nothing of a whole response for this many milliseconds. */
export function limitIdleTime(response: ServerResponse, idleTimeoutMs: number): void {
  // Usually the system has accepted all of it at once. Without a callback, Node cuts the connection.
  if (response.writableLength > 0) response.setTimeout(idleTimeoutMs);
}

async function stream(response: ServerResponse, body: Readable, length: number): Promise<void> {
  const sent = await writeStream(response, body);
  if (sent === length) response.end();
  else response.destroy();
}

/**
 * Writes a stream as fast as the client reads it, and does not end `to`. Returns the number of bytes: fewer when the
 * client disconnected.
 */
export async function writeStream(to: Writable, body: Readable): Promise<number> {
  let sent = 0;
  // Without this check, pipeline() would wait for ever for a response that was closed before, and leave the body open.
  if (to.destroyed) {
    body.destroy();
    return sent;
  }
  body.on('data', (chunk: Buffer) => {
    sent += chunk.length;
  });
  body.pause();
  try {
    await pipeline(body, to, { end: false });
  } catch (error) {
    if (!hasGoneAway(to)) throw error;
  }
  return sent;
}

/** Whether the connection was closed; the body is then not at fault. */
function hasGoneAway(to: Writable): boolean {
  const socket = to instanceof http.ServerResponse ? to.socket : to;
  return socket === null || socket.destroyed;
}
