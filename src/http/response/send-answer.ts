import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ServedBytes } from '../../sources/served-source.ts';
import type { Answer } from '../request/answer.ts';
import { sendBytes } from './send-bytes.ts';

/** Sends a response over node:http. @param idleTimeoutMs milliseconds for which a client may read nothing of it */
export async function sendAnswer(response: ServerResponse, answer: Answer, idleTimeoutMs: number): Promise<void> {
  const { status, headers, body } = answer;
  try {
    response.statusCode = status;
    // A client keeps its other headers (RFC 9110, 15.4.5).
    if (status === 304) {
      for (const name of response.getHeaderNames()) if (name !== 'x-request-id') response.removeHeader(name);
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  } catch (error) {
    await closeBody(body);
    throw error;
  }
  if (body === undefined) response.end();
  else await sendBytes(response, { body: streamOf(body), length: Number(headers['Content-Length']), idleTimeoutMs });
}

function streamOf(body: ServedBytes): Buffer | Readable {
  return Buffer.isBuffer(body) || body instanceof Readable ? body : body.stream();
}

/** Closes a body that is not sent. */
export async function closeBody(body: ServedBytes | undefined): Promise<void> {
  if (body instanceof Readable) body.destroy();
  else if (body !== undefined && !Buffer.isBuffer(body)) await body.close();
}
