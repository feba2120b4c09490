import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CallbackClient } from '../../../src/publish/notify/callback-client.ts';

describe('A client of callbacks', () => {
  const client = new CallbackClient('all');
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  after(() => client.close());

  it('gets a failure from a subscriber that switches to another protocol', async () => {
    server = createServer(({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { signal } = new AbortController();
    assert.deepEqual(await client.send(url, { method: 'GET', signal }), {
      failure: 'the connection was closed without an answer',
    });
  });
});
