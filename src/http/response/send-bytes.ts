import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

export interface Bytes {
  readonly body: Readable | Buffer;
  readonly length: number;
  /** Milliseconds that a client may take nothing. */
  readonly idleTimeout: number;
}

/**
 * Sends a body of a known length. When fewer bytes come (a file became shorter meanwhile), the connection is cut: ending the
 * answer as if it were whole would leave the client waiting, or believing.
 */
export async function sendBytes(response: Response, { body, length, idleTimeout }: Bytes): Promise<void> {
  response.set('Content-Length', String(length));
  // Without a function to call, the connection is cut.
  response.setTimeout(idleTimeout);
  if (!Buffer.isBuffer(body)) return stream(response, body, length);
  if (body.length === length) response.end(body);
  else response.destroy();
}

async function stream(response: Response, body: Readable, length: number): Promise<void> {
  // Without this, pipeline() would wait for ever for a response that was closed before it began, and leave the body open.
  if (response.destroyed) {
    body.destroy();
    return;
  }
  let sent = 0;
  body.on('data', (chunk: Buffer) => {
    sent += chunk.length;
  });
  body.pause();
  try {
    await pipeline(body, response, { end: false });
  } catch (error) {
    if (clientWentAway(response)) return;
    throw error;
  }
  if (sent === length) response.end();
  else response.destroy();
}

function clientWentAway(response: Response): boolean {
  return response.socket === null || response.socket.destroyed;
}
