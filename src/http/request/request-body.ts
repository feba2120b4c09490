import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { codingsIn, isGzip } from '../../lib/http/content-codings.ts';
import { takeOfBody } from './body-meter.ts';
import { HttpError } from './http-error.ts';

export interface BodyLimits {
  /** Milliseconds without a byte after which a client times out. The total time is not limited. */
  readonly idleTimeoutMs: number;
  /** Ends the reading with an error when the server stops. */
  readonly stopping: AbortSignal;
  /** Whether a client that exceeds its bytes per minute is read more slowly instead of being refused. */
  readonly isPaced?: boolean;
}

/**
 * The bytes of a request's body, unpacked if they are gzip. Leaving the loop early does not cut the connection, so that
 * a response can still be sent.
 * @throws HttpError 415 for another encoding, 400 for broken gzip, 408 when the client sends nothing, 429 when it sends
 *   too much, 503 when the server stops
 */
export async function* requestBody(
  request: IncomingMessage,
  limits: BodyLimits,
): AsyncGenerator<Buffer, void, undefined> {
  // Without for await, which would destroy the request, and its connection with it, when the loop is left early.
  const chunks: AsyncIterator<Buffer> = unpacked(request)[Symbol.asyncIterator]();
  const wait = new BodyWait(request, limits);
  try {
    for (;;) {
      const { done, value } = await wait.for(chunks.next());
      if (done) return;
      await takeInTurn(request, value.length, limits);
      yield value;
    }
  } catch (error) {
    throw isZlibError(error) ? new HttpError(400, { code: 'bad-gzip', message: 'the body is not valid gzip' }) : error;
  } finally {
    wait.end();
  }
}

async function takeInTurn(request: IncomingMessage, bytes: number, { isPaced, stopping }: BodyLimits): Promise<void> {
  for (;;) {
    try {
      takeOfBody(request, bytes);
      return;
    } catch (error) {
      const seconds = isPaced === true && error instanceof HttpError ? error.details.retryAfter : undefined;
      if (typeof seconds !== 'number' || stopping.aborted) throw error;
      await pause(seconds * 1000, undefined, { signal: stopping }).catch(() => {});
    }
  }
}

/**
 * Reads a whole body.
 * @param hint advice for a body that is too large, in words that follow the error
 * @throws HttpError 413 when it has more bytes than the limit
 */
export async function readBody(body: AsyncIterable<Buffer>, limit: number, hint = ''): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) {
      const message = `the body has more than ${limit} bytes${hint}`;
      throw new HttpError(413, { code: 'body-too-large', message });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function unpacked(request: IncomingMessage): Readable {
  const encoding = codingsIn(request.headers['content-encoding']);
  if (encoding === '') return request;
  if (!isGzip(encoding)) {
    throw new HttpError(415, {
      code: 'unsupported-encoding',
      message: `a body in the encoding "${encoding}" is not understood; use gzip or none`,
      headers: { 'Accept-Encoding': 'gzip' },
    });
  }
  const gunzip = createGunzip();
  request.once('error', (error) => gunzip.destroy(error));
  // When gunzip fails, a response must still be possible: pipeline() would cut the connection.
  return request.pipe(gunzip);
}

/**
 * Waits for the chunks of a body: for each no longer than a client may be idle, and not while the server stops. One
 * timer serves all chunks, of which a large body has thousands.
 */
class BodyWait {
  readonly #limits: BodyLimits;
  readonly #onStop = (): void => this.#fail?.(stopped());
  #timer: NodeJS.Timeout | undefined;
  /** Ends the present wait; undefined between two waits. */
  #fail: ((error: HttpError) => void) | undefined;

  constructor(request: IncomingMessage, limits: BodyLimits) {
    this.#limits = limits;
    limits.stopping.addEventListener('abort', this.#onStop);
    // A reader that leaves a body unread may not say so.
    request.once('close', () => this.#fail === undefined && this.end());
  }

  for<Value>(next: Promise<Value>): Promise<Value> {
    const { idleTimeoutMs, stopping } = this.#limits;
    return new Promise<Value>((resolve, reject) => {
      this.#fail = reject;
      this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#fail?.(idle(idleTimeoutMs)), idleTimeoutMs);
      if (stopping.aborted) this.#onStop();
      next.then(resolve, reject);
    }).finally(() => {
      this.#fail = undefined;
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#limits.stopping.removeEventListener('abort', this.#onStop);
  }
}

function idle(idleTimeoutMs: number): HttpError {
  const message = `nothing was sent for ${idleTimeoutMs} ms`;
  return new HttpError(408, { code: 'idle', message, headers: { Connection: 'close' } });
}

function stopped(): HttpError {
  const message = 'the server is stopping: post what was not acknowledged again';
  return new HttpError(503, { code: 'stopping', message, headers: { Connection: 'close', 'Retry-After': '2' } });
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
}
