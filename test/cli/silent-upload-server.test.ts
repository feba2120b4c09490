import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { sendForm } from '../../src/cli/send-form.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('a form that is sent to a server', () => {
  const folder = useTempFolder();
  const sockets = new Set<Socket>();
  let server: Server;

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  async function send(onConnection: (socket: Socket) => void, length: number) {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      onConnection(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    folder.write('new.mrc', 'x'.repeat(length));
    const files = [{ path: folder.at('new.mrc'), name: 'new.mrc', length, modified: 0 }];
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/uploads`);
    const { signal } = new AbortController();
    return sendForm(url, { fields: {}, files }, { token: undefined, signal, idleMs: 300, onProgress() {} });
  }

  const IDLE = /did not answer: no byte was sent or received for 0\.3 s/;
  const SILENT = [
    { title: 'takes all of it, and does not answer', length: 10, on: (socket: Socket) => void socket.resume() },
    { title: 'takes no byte of it', length: 20_000_000, on: (socket: Socket) => void socket.pause() },
    {
      title: 'switches to another protocol',
      length: 10,
      says: /did not answer: it closed the connection without an answer/,
      on: (socket: Socket) =>
        void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
    },
    {
      title: 'breaks off in its answer',
      length: 10,
      says: /did not answer/,
      on: (socket: Socket) => void socket.write('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{'),
    },
  ];
  for (const { title, length, on, says = IDLE } of SILENT) {
    it(`has failed after a while when the server ${title}`, async () => {
      await assert.rejects(send(on, length), (error) => {
        return isTidemarkError(error, 'unavailable') && says.test(error.message);
      });
    });
  }
});
