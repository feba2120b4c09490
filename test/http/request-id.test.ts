import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

describe('The id of a request', () => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    await started.app.sets.add({ slug: 'papers', urlPrefix: 'https://data.example.org/papers/' });
  });
  afterEach(closeApps);

  const idOf = async (path: string, given?: string) => {
    const { headers } = await ask(started.url + path, {
      headers: given === undefined ? {} : { 'X-Request-Id': given },
    });
    return headers['x-request-id'];
  };

  it('is the one that the sender sent, or a new one', async () => {
    assert.equal(await idOf('/healthz', 'trace-1:a.b_c'), 'trace-1:a.b_c');
    const [one, other] = [await idOf('/healthz'), await idOf('/healthz')];
    assert.match(String(one), /^[0-9a-f-]{36}$/);
    assert.notEqual(one, other);
  });

  it('is a new one when the one that was sent could do harm', async () => {
    for (const given of ['a b', '<script>', '"', 'a'.repeat(129), 'ü', 'a;b', '{{7*7}}']) {
      assert.match(String(await idOf('/healthz', Buffer.from(given).toString('latin1'))), /^[0-9a-f-]{36}$/);
    }
  });

  it('is on each answer: documents, answers from memory, and what is not changed', async () => {
    const path = '/sets/papers/resourcelist.xml';
    for (let again = 0; again < 4; again++) assert.equal(await idOf(path, `try-${again}`), `try-${again}`);
    const { headers } = await ask(started.url + path);
    for (let again = 0; again < 4; again++) {
      const conditions = { 'If-None-Match': String(headers.etag), 'X-Request-Id': `again-${again}` };
      const unchanged = await ask(started.url + path, { headers: conditions });
      assert.equal(unchanged.status, 304);
      assert.equal(unchanged.headers['x-request-id'], `again-${again}`);
    }
  });

  it('is in the body of an error', async () => {
    const wanted = { 'X-Request-Id': 'mine-1' };
    for (const path of ['/nothing', '/api/sets/none', '/api/sets/papers/resource?key=/none']) {
      const { body, status } = await askJson(started.url + path, undefined, wanted);
      assert.equal(status, 404);
      assert.equal(body.error.requestId, 'mine-1');
    }
    const { status, body } = await askJson(`${started.url}/api/sets/papers/changes`, { changes: 1 }, wanted);
    assert.equal(status, 400);
    assert.equal(body.error.requestId, 'mine-1');
  });

  it('belongs to one request of a connection that has several', async () => {
    const socket = createConnection(started.server.port, '127.0.0.1');
    const head = (id: string, more = '') =>
      `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Request-Id: ${id}\r\n${more}\r\n`;
    socket.write(head('first') + head('second', 'Connection: close\r\n'));
    const answers = await text(socket);
    assert.deepEqual(
      [...answers.matchAll(/X-Request-Id: (\w+)/g)].map(([, id]) => id),
      ['first', 'second'],
    );
  });
});
