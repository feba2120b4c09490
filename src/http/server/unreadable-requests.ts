import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { http } from '../../lib/http/node-http.ts';

/** Responses for errors of Node's parser; others get a 400. */
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
const UNREADABLE = { status: 400, code: 'unreadable', message: 'the request is not valid HTTP' };

/** Responds to bytes that are not readable as HTTP like to any other error. Node would send only a status. */
export function answerUnreadable(server: Server): void {
  const responses = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => responses.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = responses.get(socket);
    const isAnswering = response?.headersSent === true && !response.writableFinished;
    // Bytes written into a response would be read as a part of it.
    if (socket.writable && !isAnswering) socket.write(refusal(error.code ?? ''));
    socket.destroy(error);
  });
}

/** The response to an unreadable request, by the error code of Node. */
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
