import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { readPlainHead } from '../../../src/http/server/plain-head.ts';
import { sendRaw } from '../../support/raw-http.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'get', 'GET '];
const TARGETS = [
  '/',
  '/a',
  '/a/%2e%2e/b',
  '/a?b=c',
  '//a',
  '*',
  'http://a/b',
  '/a b',
  '/a\t',
  '/\xe9',
  '/"<>\\^`{|}',
  '',
];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'http/1.1', 'HTTP/1.1 '];
const NAMES = [
  'Host',
  'host',
  'Accept',
  'X-A',
  'X_A',
  'Connection',
  'Content-Length',
  'Transfer-Encoding',
  'Expect',
  'Upgrade',
  'X A',
  '',
  ' X-A',
  '__proto__',
  'constructor',
];
const VALUES = [
  'a',
  '',
  ' a ',
  '\ta\t',
  'a:b',
  'keep-alive',
  'close',
  'chunked',
  '0',
  '3',
  'a\0',
  '\xe9',
  'a\rb',
  '100-continue',
  'a, b',
  '"',
];
const ENDS = ['\n', '\r', '\r\n ', ''];

const mostly = (usual: readonly string[], odd: readonly string[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) });

/** Heads of requests, about half of which are as they should be. */
const heads = fc
  .record({
    method: mostly(['GET', 'HEAD'], METHODS),
    target: mostly(['/a', '/a/b.xml'], TARGETS),
    version: mostly(['HTTP/1.1'], VERSIONS),
    host: mostly(['Host: a\r\n'], ['']),
    fields: fc.uniqueArray(
      fc.tuple(
        mostly(['Accept', 'X-A', 'X-B', 'User-Agent'], NAMES),
        mostly([': '], [':', ' : ']),
        mostly(['a', 'a b', '"a", "b"'], VALUES),
        mostly(['\r\n'], ENDS),
      ),
      { maxLength: 3, selector: ([name]) => name },
    ),
    end: mostly(['\r\n'], ['\n', '', '\r\n\r\n', '\r\nGET']),
  })
  .map(({ method, target, version, host, fields, end }) => {
    const lines = fields.map((field) => field.join('')).join('');
    return Buffer.from(`${method} ${target} ${version}\r\n${host}${lines}${end}`, 'latin1');
  });

describe('A plain head', () => {
  let server: Server;
  beforeEach(async () => {
    server = createServer(({ method, url, headers }, response) => {
      response.setHeader('Connection', 'close').end(JSON.stringify({ method, url, headers }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('is read as node:http reads it, whatever else looks like one @long', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    let read = 0;
    await fc.assert(
      fc.asyncProperty(heads, async (bytes) => {
        const head = readPlainHead(bytes);
        if (head === undefined) return;
        read += 1;
        // HEAD has no body to compare.
        const asGet = Buffer.from(bytes.toString('latin1').replace(/^HEAD/, 'GET'), 'latin1');
        const [, body = ''] = (await sendRaw(url, asGet)).toString('latin1').split('\r\n\r\n');
        const { headers } = head;
        assert.deepEqual({ method: 'GET', url: head.url, headers }, JSON.parse(body));
      }),
      { numRuns: 500 },
    );
    assert.ok(read > 100, `only ${read}`);
  });

  it('may have the fields of the one before', () => {
    const head = (fields: string) => Buffer.from(`GET /a HTTP/1.1\r\n${fields}\r\n`);
    const first = readPlainHead(head('Host: a\r\n'));
    assert.equal(readPlainHead(head('Host: a\r\n'), first?.fields)?.headers, first?.headers);
    assert.deepEqual(readPlainHead(head('Host: b\r\n'), first?.fields)?.headers, { host: 'b' });
  });

  for (const [what, fields] of [
    ['a body', 'Content-Length: 0\r\n'],
    ['a coded body', 'Transfer-Encoding: chunked\r\n'],
    ['an expectation', 'Expect: 100-continue\r\n'],
    ['an upgrade', 'Upgrade: h2c\r\n'],
    ['a connection that is not kept', 'Connection: close\r\n'],
    ['a field that comes twice', 'Accept: a\r\naccept: b\r\n'],
  ] as const) {
    it(`has not ${what}`, () => {
      assert.equal(readPlainHead(Buffer.from(`GET /a HTTP/1.1\r\nHost: a\r\n${fields}\r\n`)), undefined);
    });
  }

  it('is not longer than 8 kB', () => {
    const head = (length: number) => Buffer.from(`GET /${'a'.repeat(length)} HTTP/1.1\r\nHost: a\r\n\r\n`);
    assert.notEqual(readPlainHead(head(8_000)), undefined);
    assert.equal(readPlainHead(head(8_200)), undefined);
  });
});
