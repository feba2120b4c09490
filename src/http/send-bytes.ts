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
  if (Buffer.isBuffer(body)) {
    response.end(body);
    return;
  }
  let sent = 0;
  body.on('data', (chunk: Buffer) => {
    sent += chunk.length;
  });
  body.pause();
  response.setTimeout(idleTimeout, () => response.destroy());
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
