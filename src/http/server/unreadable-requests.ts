import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { http } from '../../lib/http/node-http.ts';

/** Why Node gave a request up; what is not here is 400. */
const REFUSALS: Readonly<Record<string, { readonly status: number; readonly code: string; readonly message: string }>> =
  {
    HPE_HEADER_OVERFLOW: {
      status: 431,
      code: 'head-too-large',
      message: 'the head of the request has more than 16 KiB',
    },
    HPE_CHUNK_EXTENSIONS_OVERFLOW: {
      status: 413,
      code: 'body-too-large',
      message: 'the extensions of a chunk are too large',
    },
    ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'idle', message: 'the head of the request did not come in time' },
  };
const UNREADABLE = { status: 400, code: 'unreadable', message: 'the request is no HTTP that can be understood' };

/**
 * Answers what cannot be read as HTTP as any other error is answered, where Node would send a status and nothing else.
 */
export function answerUnreadable(server: Server): void {
  const responses = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => responses.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = responses.get(socket);
    const isAnswering = response?.headersSent === true && !response.writableFinished;
    // Anything that is written into an answer would be taken for a part of it.
    if (socket.writable && !isAnswering) socket.write(refusal(error.code ?? ''));
    socket.destroy(error);
  });
}

/** The answer to what cannot be read, by the reason as Node has it. */
export function refusal(reason: string): string {
  const { status, code, message } = (Object.hasOwn(REFUSALS, reason) && REFUSALS[reason]) || UNREADABLE;
  const body = JSON.stringify({ error: { code, message } });
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
