import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { FrontedServer, SMALL } from '../../support/fronted-server.ts';
import { openSocket } from '../../support/raw-http.ts';
import { until } from '../../support/until.ts';

const ID = 'X-Request-Id: test\r\n';
const LARGE = 8 * 1024 * 1024;

describe('The front', () => {
  let served: FrontedServer;
  let sockets: Socket[] = [];
  const start = async (...options: ConstructorParameters<typeof FrontedServer>) => {
    served = new FrontedServer(...options);
    await served.start();
  };
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    served.slow.resolve();
    await served.close();
  });

  async function open(): Promise<Socket> {
    const socket = await openSocket(served.url);
    sockets.push(socket);
    return socket;
  }

  /** All that comes until the server closes the connection. */
  async function send(...parts: readonly string[]): Promise<string> {
    const socket = await open();
    const answered = buffer(socket);
    for (const part of parts) {
      socket.write(part, 'latin1');
      await setImmediate();
    }
    return (await answered).toString('latin1');
  }

  const head = (request: string, more = '') => `${request} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  /** A request that no front answers, and the last one of its connection. */
  const LAST = head('GET /echo', 'Connection: close\r\n');

  /** What is the same in two answers to one request, however their connections go on. */
  const lasting = (answer: string) => {
    const [top = '', ...body] = answer.split('\r\n\r\n');
    const lines = top.split('\r\n').filter((line) => !/^(date|connection|keep-alive):/i.test(line));
    return [...lines.slice(0, 1), ...lines.slice(1).sort(), ...body];
  };

  describe('answers an ordinary request without node:http', () => {
    beforeEach(() => start());

    for (const path of [
      '/echo',
      '/files/a/b%20c',
      '/empty',
      '/unchanged',
      '/small/s',
      '/middle',
      '/large',
      '/stream',
      '/file',
      '/failing',
      '/odd',
    ]) {
      for (const method of ['GET', 'HEAD']) {
        it(`as node:http would: ${method} ${path}`, async () => {
          const request = `${method} ${path}`;
          // Half-closed, so that the server closes the connection after the answer.
          const socket = await open();
          const answered = buffer(socket);
          socket.end(head(request, ID));
          const ours = (await answered).toString('latin1');
          assert.deepEqual(served.byNode, []);
          const its = await send(head(request, `${ID}Connection: close\r\n`));
          assert.deepEqual(served.byNode, [path]);
          assert.deepEqual(lasting(ours), lasting(its));
          assert.match(ours, /^HTTP\/1\.1 \d{3} [A-Z]/);
        });
      }
    }

    it('and many after each other on one connection', async () => {
      const socket = await open();
      for (let number = 0; number < 5; number++) {
        socket.write(head(`GET /files/${number}`));
        const [answer] = await once(socket, 'data');
        assert.match(String(answer), new RegExp(`\\r\\nKeep-Alive: timeout=600\\r\\n\\r\\n{"path":"${number}"}$`));
      }
      assert.deepEqual(served.byNode, []);
      await until('the log', async () => served.logged.length === 5);
      assert.ok(served.logged.every(({ status, bytes }) => status === 200 && bytes > 100));
    });
  });

  it('cuts the connection when even the answer to a failure fails, as node:http does', async () => {
    const logger = pino({ level: 'error' }, new Writable({ write: () => {} }));
    logger.error = () => {
      throw new Error('nothing can be logged');
    };
    await start({}, undefined, logger);
    for (const more of ['', 'Connection: close\r\n']) {
      assert.equal(await send(head('GET /failing', more)), '');
      assert.match(await send(LAST), /^HTTP\/1\.1 200 /);
    }
    assert.deepEqual(served.byNode, ['/echo', '/failing', '/echo']);
  });

  describe('leaves to node:http', () => {
    beforeEach(() => start());

    for (const [what, request, status] of [
      ['another method', head('DELETE /echo'), 200],
      ['a path without a direct route', head('GET /other'), 200],
      ['a query', head('GET /echo?page=2'), 200],
      ['a body', head('GET /echo', 'Content-Length: 3\r\n').concat('abc'), 200],
      ['a chunked body', head('GET /echo', 'Transfer-Encoding: chunked\r\n').concat('0\r\n\r\n'), 200],
      ['two lengths of a body', head('GET /echo', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'), 400],
      ['a wish for a page', head('GET /echo', 'Accept: text/html\r\n'), 200],
      ['an upgrade', head('GET /echo', 'Upgrade: websocket\r\nConnection: Upgrade\r\n'), 200],
      ['HTTP/1.0', 'GET /echo HTTP/1.0\r\nHost: a\r\n\r\n', 200],
      ['HTTP/1.2', 'GET /echo HTTP/1.2\r\nHost: a\r\n\r\n', 400],
      ['no Host', 'GET /echo HTTP/1.1\r\nAccept: */*\r\n\r\n', 400],
      ['a header twice', head('GET /echo', 'X-A: b\r\nX-A: c\r\n'), 200],
      ['an absolute address', head('GET http://a/echo'), 200],
      ['a folded line', head('GET /echo', 'X-A: b\r\n c\r\n'), 400],
      ['bare line feeds', 'GET /echo HTTP/1.1\nHost: a\n\n', 400],
      ['a bare carriage return', head('GET /echo', 'X-A: b\rX-B: c\r\n'), 400],
      ['a NUL', head('GET /echo', 'X-A: \0\r\n'), 400],
      ['a space before the colon', head('GET /echo', 'X-A : b\r\n'), 400],
      ['two spaces in the first line', head('GET  /echo'), 200],
      ['a space in the path', head('GET /echo x'), 400],
      ['bytes that are not ASCII', head('GET /echo', 'X-A: \xe9\r\n'), 200],
      ['a large head', head('GET /echo', `X-A: ${'x'.repeat(10_000)}\r\n`), 200],
      ['a head that is too large', head('GET /echo', `X-A: ${'x'.repeat(20_000)}\r\n`), 431],
      ['an empty line before', `\r\n${head('GET /echo')}`, 200],
      ['nonsense', 'nonsense\r\n\r\n', 400],
    ] as const) {
      it(what, async () => {
        const socket = await open();
        const answered = once(socket, 'data');
        socket.write(request, 'latin1');
        const [answer] = await answered;
        assert.match(String(answer), new RegExp(`^HTTP/1\\.1 ${status} `));
        if (status === 200) assert.equal(served.byNode.length, 1);
        // The log has the target as it was sent.
        assert.ok(served.logged.every(({ path }) => served.byNode.includes(path.replace('http://a/', '/'))));
      });
    }

    it('a head that comes in two parts, wherever it is cut', async () => {
      const request = head('GET /files/name', ID);
      for (let cut = 1; cut < request.length; cut++) {
        const socket = await open();
        socket.write(request.slice(0, cut));
        // The server has it before the rest is sent: it answers another connection meanwhile.
        await ping();
        socket.write(request.slice(cut));
        const [answer] = await once(socket, 'data');
        assert.match(String(answer), /^HTTP\/1\.1 200 OK\r\n.*{"path":"name"}$/s, `cut at ${cut}`);
        socket.destroy();
      }
      assert.equal(served.byNode.length, request.length - 1);
    });

    async function ping(): Promise<void> {
      const socket = await open();
      socket.write(head('GET /files/ping'));
      await once(socket, 'data');
      socket.destroy();
    }

    it('what follows a request that was answered, and everything after it', async () => {
      const socket = await open();
      socket.write(head('GET /files/1'));
      await once(socket, 'data');
      socket.write(head('POST /echo', 'Content-Length: 3\r\n').concat('abc'));
      await once(socket, 'data');
      socket.write(head('GET /files/2'));
      assert.match(String((await once(socket, 'data'))[0]), /{"path":"2"}$/);
      assert.deepEqual(served.byNode, ['/echo', '/files/2']);
      await until('the log', async () => served.logged.length === 3);
      // Bytes of the front's answers are not counted again.
      assert.ok(
        served.logged.every(({ bytes }) => bytes < 900),
        JSON.stringify(served.logged),
      );
    });
  });

  describe('answers pipelined requests in their order', () => {
    beforeEach(() => start());

    const bodiesIn = (answers: string) =>
      [...answers.matchAll(/{"path":"(\w+)"}|slow|left to express/g)].map(([body, path]) => path ?? body);

    it('that come at once', async () => {
      const numbers = ['1', '2', '3', '4'];
      const answers = await send(numbers.map((number) => head(`GET /files/${number}`)).join('') + LAST);
      assert.deepEqual(bodiesIn(answers), numbers);
    });

    it('that come while one is being answered, ordinary and others', async () => {
      const answering = send(
        head('GET /slow'),
        head('GET /files/1'),
        head('POST /other', 'Content-Length: 70\r\n').concat(head('GET /files/smuggled').padEnd(70)),
        head('GET /files/2').concat(LAST),
      );
      await until('the slow one', async () => served.asked === 1);
      served.slow.resolve();
      assert.deepEqual(bodiesIn(await answering), ['slow', '1', 'left to express', '2']);
    });

    it('and reads no more than one of them ahead', async () => {
      const socket = await open();
      socket.write(head('GET /slow'));
      await until('the slow one', async () => served.asked === 1);
      let sent = 0;
      // What the server does not read fills the buffers of the system.
      while (socket.writableLength < 1_000_000) {
        const more = head('GET /files/1').repeat(10_000);
        sent += more.length;
        socket.write(more);
        await setImmediate();
        if (sent > 200_000_000) assert.fail('all of it was read');
      }
    });
  });

  it('sends a small answer as it was, also when the system takes it late', async () => {
    await start();
    const accepted = once(served.server, 'connection') as Promise<[Socket]>;
    const late = await open();
    const [atServer] = await accepted;
    atServer.cork();
    late.end(head('GET /small/a'));
    await until('the answer', async () => atServer.writableLength > 0);
    const next = await open();
    const answered = buffer(next);
    next.end(head('GET /small/b'));
    await answered;
    const received = buffer(late);
    atServer.uncork();
    assert.ok((await received).toString('latin1').endsWith(`\r\n\r\n${'a'.repeat(SMALL)}`));
  });

  describe('has limits', () => {
    it('for a connection on which nothing comes: it is answered with 408', async () => {
      await start({ headersTimeout: 50 });
      assert.match(await send(), /^HTTP\/1\.1 408 .*"code":"idle"/s);
    });

    it('for a connection that is kept: it is closed', async () => {
      await start({ keepAliveTimeout: 1 });
      assert.match(await send(head('GET /files/1')), /{"path":"1"}$/);
    });

    it('for a client that takes nothing: it is cut off, and its body closed', async () => {
      for (const path of ['/large', '/stream', '/file']) {
        await start({}, 200);
        const socket = await open();
        socket.pause();
        socket.write(head(`GET ${path}`));
        await until('the log', async () => served.logged.length === 1);
        assert.deepEqual([served.logged[0]!.status, served.logged[0]!.aborted], [200, true]);
        await until('the body', async () => served.openBodies === 0);
        if (path !== '/file') await served.close();
      }
    });

    it('for many connections: those without a request make room', async () => {
      await start({ most: 10 });
      const kept = await open();
      kept.write(head('GET /files/1'));
      await once(kept, 'data');
      const closed = once(kept, 'close');
      for (let number = 0; number < 9; number++) await open();
      await closed;
    });
  });

  describe('cuts the connection', () => {
    beforeEach(() => start());

    for (const path of ['/short', '/short-file', '/broken']) {
      it(`when a body has fewer bytes than its head says: ${path}`, async () => {
        const answer = await send(head(`GET ${path}`));
        assert.match(answer, /^$|\r\n\r\n[sf]{0,50}$/);
        await until('the log', async () => served.logged.length === 1);
        assert.equal(served.logged[0]!.aborted, true);
        assert.equal(served.openBodies, 0);
      });
    }

    for (const path of ['/stream', '/file']) {
      it(`and closes the body when the client goes away: ${path}`, async () => {
        const socket = await open();
        socket.write(head(`GET ${path}`));
        await once(socket, 'data');
        socket.destroy();
        await until('the body', async () => served.openBodies === 0);
        await until('the log', async () => served.logged[0]?.aborted === true);
      });
    }

    it('and closes the body when the client went away before it was opened', async () => {
      const socket = await open();
      socket.write(head('GET /slow-file'));
      await until('the slow one', async () => served.asked === 1);
      socket.resetAndDestroy();
      await until('the log', async () => served.logged.length === 1);
      served.slow.resolve();
      await setImmediate();
      await until('the body', async () => served.openBodies === 0);
    });

    it('of a client that went away before the answer', async () => {
      const socket = await open();
      socket.write(head('GET /slow'));
      await until('the slow one', async () => served.asked === 1);
      socket.resetAndDestroy();
      await until('the log', async () => served.logged.length === 1);
      served.slow.resolve();
      assert.deepEqual([served.logged[0]!.status, served.logged[0]!.aborted], [0, true]);
    });
  });

  describe('when the server stops', () => {
    beforeEach(() => start());

    it('ends the answer that it is sending, and then the connection', async () => {
      const answering = send(head('GET /slow'));
      await until('the slow one', async () => served.asked === 1);
      served.front.stop();
      served.slow.resolve();
      assert.match(await answering, /^HTTP\/1\.1 200 OK\r\n.*\r\nConnection: close\r\n\r\nslow$/s);
    });

    it('closes connections without a request', async () => {
      const [kept, fresh] = [await open(), await open()];
      kept.write(head('GET /files/1'));
      await once(kept, 'data');
      const closed = Promise.all([once(kept, 'close'), once(fresh, 'close')]);
      served.front.stop();
      kept.resume();
      fresh.resume();
      await closed;
    });
  });

  it('sends a large body to a slow reader whole', async () => {
    await start();
    for (const path of ['/large', '/stream', '/file']) {
      const socket = await open();
      socket.write(head(`GET ${path}`));
      let received = 0;
      for await (const chunk of socket) {
        received += chunk.length;
        socket.pause();
        await setImmediate();
        socket.resume();
        if (received > LARGE) break;
      }
      await until('the log', async () => served.logged.some((logged) => logged.path === path));
      assert.equal(served.logged.find((logged) => logged.path === path)?.aborted, undefined);
    }
  });
});
