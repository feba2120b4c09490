import type { ClientRequest, IncomingMessage } from 'node:http';
import type { RecordedHop } from './fetcher.ts';

/** Headers of a request whose values are not recorded. */
const SECRET = new Set(['authorization', 'cookie']);
const MOST_BYTES = 64 * 1024;
/** Milliseconds for the body of a redirect, which is of little use. */
const BODY_MS = 5_000;

interface RespondedRequest {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
  /** Whether the start of the body is recorded, too. */
  readonly readsBody: boolean;
}

/** @param time when the request was sent, in milliseconds since 1970 */
export async function recordedHop(url: string, time: number, responded: RespondedRequest): Promise<RecordedHop> {
  const { request, response, readsBody } = responded;
  const address = response.socket.remoteAddress;
  return {
    url,
    time,
    ...(address !== undefined && { address }),
    requestHead: requestHead(request),
    responseHead: responseHead(response),
    ...(readsBody && { body: await startOfBody(response) }),
  };
}

/** The first bytes of a body; the connection is closed when there are more, or when they do not come. */
async function startOfBody(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => response.destroy(), BODY_MS);
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MOST_BYTES) break;
    }
  } catch {
    // It broke off: its head leads on all the same.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, MOST_BYTES);
}

function requestHead(request: ClientRequest): string {
  const names = request.getRawHeaderNames().filter((name) => !SECRET.has(name.toLowerCase()));
  const lines = names.map((name) => `${name}: ${request.getHeader(name)}`);
  // Node adds this one when it sends the others.
  if (!request.hasHeader('connection')) lines.push('Connection: keep-alive');
  return headOf([`${request.method} ${request.path} HTTP/1.1`, ...lines]);
}

function responseHead({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return headOf(lines);
}

const headOf = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
