import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { keepAnswer, keeperOf } from './keep-answer.ts';
import type { Keeping } from './quick-answers.ts';

export interface Bytes {
  readonly body: Readable | Buffer;
  readonly length: number;
  /** Milliseconds that a client may take nothing. */
  readonly idleTimeout: number;
  /** Given when the answer may be given again. */
  readonly keeping?: Keeping | undefined;
}

/**
 * Sends a body of a known length. When fewer bytes come (a file became shorter meanwhile), the connection is cut: ending the
 * answer as if it were whole would leave the client waiting, or believing.
 */
export async function sendBytes(response: Response, { body, length, idleTimeout, keeping }: Bytes): Promise<void> {
  response.set('Content-Length', String(length));
  // Without a function to call, the connection is cut.
  response.setTimeout(idleTimeout);
  if (!Buffer.isBuffer(body)) closeWith(response, body);
  if (response.destroyed) return;
  const whole = Buffer.isBuffer(body) ? body : keeping && (await collect(response, body, length));
  if (whole === undefined) return stream(response, body as Readable, length);
  if (whole.length !== length) {
    response.destroy();
    return;
  }
  if (keeping !== undefined) keepAnswer(response, keeping, whole);
  response.end(whole);
}

/** Without this, pipeline() would wait for ever for a response that was closed before it began, and leave the body open. */
function closeWith(response: Response, body: Readable): void {
  if (response.destroyed) body.destroy();
  else response.once('close', () => body.destroy());
}

/** Reads a body into memory, when it may be kept there. */
async function collect(response: Response, body: Readable, length: number): Promise<Buffer | undefined> {
  const keeper = keeperOf(response);
  if (keeper === undefined || !keeper.answers.claim(keeper.key, length)) return undefined;
  try {
    return await buffer(body);
  } catch (error) {
    // Whoever asked went away: what was read of the body is of no use.
    if (response.destroyed) return Buffer.alloc(0);
    throw error;
  } finally {
    keeper.answers.release(keeper.key);
  }
}

async function stream(response: Response, body: Readable, length: number): Promise<void> {
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
