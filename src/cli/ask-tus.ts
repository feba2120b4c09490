import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { TidemarkError } from '../core/errors.ts';
import { clientModule } from '../lib/http/client-module.ts';
import { describeHttpFailure } from '../lib/http/failure.ts';
import { responseTo } from '../lib/http/response-to.ts';

export interface TusAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface TusRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly body: AsyncIterable<Buffer> | undefined;
}

const TUS = { 'Tus-Resumable': '1.0.0' };
/**
 * Milliseconds without a byte in either direction, after which the server counts as one that does not answer. The
 * response to the last byte may take 20 seconds.
 */
export const IDLE_MS = 120_000;
const PASSING = new Set([408, 409, 425, 429]);

/** A failure that may be temporary. */
export class Broken extends Error {}

/**
 * Sends a request of tus 1.0.
 * @throws Broken for a failure that may be temporary; TidemarkError with the server's reason for others; what the body
 *   throws
 */
export async function askTus(url: URL, { method, headers, token, signal, body }: TusRequest): Promise<TusAnswer> {
  const request = clientModule(url.protocol === 'https:').request(url, {
    method,
    signal,
    agent: false,
    timeout: IDLE_MS,
    headers: { ...TUS, ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
  });
  request.on('timeout', () => request.destroy(new Error(`it did not answer for ${IDLE_MS / 1000} s`)));
  const answered = responseTo(request);
  const sent = body === undefined ? Promise.resolve(request.end()) : pipeline(body, request);
  // A server that refuses the request responds before it has read all of it.
  const settled = sent.then(
    () => {},
    () => {},
  );
  try {
    const response = await answered;
    const answer = { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
    request.destroy();
    await settled;
    return checked(answer, url);
  } catch (error) {
    request.destroy();
    await settled;
    throw error instanceof TidemarkError || error instanceof Broken
      ? error
      : new Broken(describeHttpFailure(error as Error));
  }
}

/** @throws Broken for a temporary error, TidemarkError with the error of the server */
function checked(answer: TusAnswer, { origin }: URL): TusAnswer {
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  const message = messageOf(answer);
  if ((status >= 500 || PASSING.has(status)) && !isRefusal(answer)) throw new Broken(message);
  const code = status === 401 || status === 403 ? 'forbidden' : 'invalid';
  throw new TidemarkError(code, `the server at ${origin} did not take the upload: ${message}`, { status });
}

/**
 * Whether a conflict cannot be resolved by another offset, such as that of an archived stream. A HEAD has no body that
 * shows this.
 */
function isRefusal({ status, text }: TusAnswer): boolean {
  return status === 409 && text !== '' && !/"other-offset"|another request/.test(text);
}

function messageOf({ status, text: body }: TusAnswer): string {
  try {
    const message: unknown = JSON.parse(body).error?.message;
    if (typeof message === 'string') return message;
  } catch {
    // Another kind of server, or a HEAD.
  }
  return `it answered ${status}`;
}
