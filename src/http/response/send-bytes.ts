import type { ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { http } from '../../lib/http/node-http.ts';

/** Bytes of a body that it takes less time to copy into a text than to write beside its head. */
export const MOST_BYTES_OF_TEXT = 16_384;

export interface Bytes {
  readonly body: Readable | Buffer;
  readonly length: number;
  /** Milliseconds that a client may take nothing. */
  readonly idleTimeout: number;
}

/**
 * Sends a body of a known length. When fewer bytes come (a file became shorter meanwhile), the connection is cut:
 * ending the answer as if it were whole would leave the client waiting, or believing.
 */
export async function sendBytes(response: ServerResponse, { body, length, idleTimeout }: Bytes): Promise<void> {
  if (Buffer.isBuffer(body)) {
    if (body.length !== length) response.destroy();
    // As a text it is written together with the head, by one call of the system.
    else if (length <= MOST_BYTES_OF_TEXT) response.end(body.toString('latin1'), 'latin1');
    else response.end(body);
    // Mostly the system takes all of it at once.
    if (response.writableLength > 0) limitIdleTime(response, idleTimeout);
    return;
  }
  limitIdleTime(response, idleTimeout);
  await stream(response, body, length);
}

/** Cuts the connection when the client takes nothing for so many milliseconds. */
function limitIdleTime(response: ServerResponse, idleTimeout: number): void {
  // Without a function to call, Node cuts it.
  response.setTimeout(idleTimeout);
}

async function stream(response: ServerResponse, body: Readable, length: number): Promise<void> {
  const sent = await writeStream(response, body);
  if (sent === length) response.end();
  else response.destroy();
}

/**
 * Writes a stream as fast as the client takes it, and does not end what it writes to. Returns how many bytes came:
 * fewer when the client went away.
 */
export async function writeStream(to: Writable, body: Readable): Promise<number> {
  let sent = 0;
  // Without this, pipeline() would wait for ever for a response that was closed before it began, and leave the body
  // open.
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

/** Whether the connection was closed: then nothing is wrong with the body. */
function hasGoneAway(to: Writable): boolean {
  const socket = to instanceof http.ServerResponse ? to.socket : to;
  return socket === null || socket.destroyed;
}
