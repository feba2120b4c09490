import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerUnreadable } from '../../src/http/server/unreadable-requests.ts';

describe('A request that is not HTTP', () => {
  let server: Server;
  beforeEach(async () => {
    server = createServer((request, response) => {
      if (request.url !== '/slow') return void response.end('done\n');
      response.writeHead(200, { 'Content-Length': 10 }).write('12345');
      // The answer is on its way until something came that could not be read.
      server.once('clientError', () => response.end('67890'));
    });
    answerUnreadable(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  /** Everything that the server answers until it closes the connection. */
  async function send(...parts: readonly string[]): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    const answered = text(socket);
    for (const part of parts) socket.write(part, 'latin1');
    return answered;
  }

  function errorIn(answer: string): { readonly status: number; readonly code: string } {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    assert.match(head, /\r\ncontent-type: application\/json; charset=utf-8\r\n/i);
    assert.match(head, /\r\nconnection: close(\r\n|$)/i);
    assert.match(head, new RegExp(`\r\ncontent-length: ${body.length}\r\n`, 'i'));
    return { status: Number(head.split(' ')[1]), code: JSON.parse(body).error.code };
  }

  for (const request of [
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nX-Odd: \x01\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nX Odd: 1\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
  ]) {
    it(`is answered with 400 and an error like any other: ${JSON.stringify(request.slice(0, 60))}`, async () => {
      assert.deepEqual(errorIn(await send(request)), { status: 400, code: 'unreadable' });
    });
  }

  it('because its head is too large is answered with 431', async () => {
    const request = `GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`;
    assert.deepEqual(errorIn(await send(request)), { status: 431, code: 'head-too-large' });
  });

  it('after one that was answered is answered after it', async () => {
    const answer = await send('GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'nonsense\r\n\r\n');
    assert.match(answer, /^HTTP\/1.1 200 OK\r\n.*done\n/s);
  });

  it('puts nothing into an answer that is on its way', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    let answered = '';
    socket.on('data', (chunk) => {
      answered += chunk;
    });
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.write('nonsense\r\n\r\n');
    await closed;
    assert.match(answered, /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n(12345)?$/s);
  });
});
