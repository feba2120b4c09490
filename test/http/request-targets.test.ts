import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { SQLITE } from '../support/each-store.ts';
import { openSocket, statusOf } from '../support/raw-http.ts';
import { closeApps, startApp } from '../support/start-app.ts';

const PAGE = 'text/html';
const LIST = '/sets/maps/resourcelist.xml';
/** The front reads the first, and leaves the second to node:http. */
const LONG = [7_000, 8_192].map((length) => `/${'a'.repeat(length - 1)}`);
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PATCH', 'DELETE'];

interface Sent {
  readonly method?: string;
  readonly accept?: string;
  readonly host?: string;
  /** Whether the head arrives in two parts: the front hands such a connection to node:http. */
  readonly isCut?: boolean;
}

describe('The target of a request', () => {
  let url: string;
  before(async () => {
    const { app, url: started } = await startApp(SQLITE);
    url = started;
    await app.sets.add({ slug: 'maps', urlPrefix: 'https://maps.example.org/' });
  });
  after(closeApps);
  // Each test has also shown that the server survives its requests.
  afterEach(async () => assert.equal(statusOf(await send('/healthz')), 200));

  const host = () => new URL(url).host;

  /** The whole answer; empty when the connection is closed without one. */
  async function send(target: string, sent: Sent = {}): Promise<Buffer> {
    const { method = 'GET', accept = '*/*', isCut = false } = sent;
    const head = `${method} ${target} HTTP/1.1\r\nHost: ${sent.host ?? host()}\r\nAccept: ${accept}\r\n\r\n`;
    const socket = await openSocket(url);
    if (isCut) {
      socket.write(head.slice(0, 5), 'latin1');
      await setImmediate();
    }
    socket.write(isCut ? head.slice(5) : head, 'latin1');
    let answer = Buffer.alloc(0);
    // The connection stays open: node:http answers no client that has closed its half.
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      answer = Buffer.concat([answer, chunk]);
      if (isWhole(answer, method)) break;
    }
    return answer;
  }

  const bodyOf = (answer: Buffer) => answer.toString('utf8').split('\r\n\r\n').slice(1).join('\r\n\r\n');
  const errorOf = (answer: Buffer) => JSON.parse(bodyOf(answer)).error;

  for (const accept of ['*/*', PAGE]) {
    for (const isCut of [false, true]) {
      describe(`of a client that accepts ${accept}, in ${isCut ? 'two parts' : 'one part'}`, () => {
        for (const method of METHODS) {
          it(`is refused when it is "*": ${method}`, async () => {
            const answer = await send('*', { method, accept, isCut });
            assert.equal(statusOf(answer), 400);
            assert.match(answer.toString('latin1'), /\r\nConnection: close\r\n/);
            if (method !== 'HEAD') assert.equal(errorOf(answer).code, 'wrong-target');
          });
        }

        for (const [target, code] of [
          ['ftp://127.0.0.1/', 'wrong-target'],
          ['http:///healthz', 'wrong-target'],
          ['http://elsewhere.example.org/healthz', 'several-hosts'],
          ['127.0.0.1:80', 'unreadable'],
          ['healthz', 'unreadable'],
          ['?healthz', 'unreadable'],
          ['', 'unreadable'],
          ['/\x01', 'unreadable'],
          ['/\x7f', 'unreadable'],
        ] as const) {
          it(`is refused when it is ${JSON.stringify(target)}`, async () => {
            const answer = await send(target, { accept, isCut });
            assert.equal(statusOf(answer), 400);
            assert.equal(errorOf(answer).code, code);
          });
        }

        for (const target of ['//', '///', '//x/y', '/%', '/%ff', '/%00', '/..', '/sets/%', '/sets//maps', ...LONG]) {
          it(`is refused, as a page for a browser, when it is ${target.slice(0, 20)}, of ${target.length}`, async () => {
            const answer = await send(target, { accept, isCut });
            assert.ok([400, 404].includes(statusOf(answer)), String(statusOf(answer)));
            if (accept === PAGE) assert.match(bodyOf(answer), /^<!doctype html>.*<\/html>\s*$/is);
            else assert.match(errorOf(answer).code, /^(not-found|bad-path)$/);
          });
        }

        it('may be a URL, and is its path then', async () => {
          for (const path of ['/', '/healthz', LIST, '/sets/maps/', '/?page=2', '/sets/maps/nothing', '/api/sets']) {
            const ofPath = await send(path, { accept, isCut });
            const ofUrl = await send(`http://${host()}${path}`, { accept, isCut });
            assert.equal(statusOf(ofUrl), statusOf(ofPath), path);
            assert.equal(lasting(ofUrl), lasting(ofPath), path);
          }
        });

        it('may be a URL without a path, or in capital letters', async () => {
          for (const target of [`http://${host()}`, `HTTP://${host()}/`, `https://${host()}?page=2`]) {
            assert.equal(statusOf(await send(target, { accept, isCut })), 200, target);
          }
        });
      });
    }
  }

  it('of a CONNECT has no answer, since this is no proxy', async () => {
    assert.equal((await send('127.0.0.1:80', { method: 'CONNECT' })).length, 0);
  });

  it('and the header Accept never make the server fail, whatever they are', async () => {
    const text = fc.string({ unit: 'binary-ascii', maxLength: 40 });
    const part = fc.constantFrom('/', '*', 'http://', host(), '?', '#', '%', '..', 'sets', 'maps', 'text/html', ';q=');
    const odd = fc.array(fc.oneof(text, part), { maxLength: 6 }).map((parts) => parts.join(''));
    const method = fc.constantFrom(...METHODS);
    await fc.assert(
      fc.asyncProperty(odd, odd, method, fc.boolean(), async (target, accept, method, isCut) => {
        const answer = await send(target, { method, accept: `text/html, ${accept}`, isCut });
        // A head with a line feed may end early, and more requests follow.
        assert.ok(statusOf(answer) >= 200 && statusOf(answer) < 500, answer.toString('latin1').slice(0, 300));
      }),
      { numRuns: 300 },
    );
  });

  function isWhole(answer: Buffer, method: string): boolean {
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const head = answer.toString('latin1', 0, end);
    const length = method === 'HEAD' ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const isChunked = method !== 'HEAD' && /\r\ntransfer-encoding: chunked/i.test(head);
    return isChunked ? answer.toString('latin1').endsWith('\r\n0\r\n\r\n') : answer.length >= end + 4 + length;
  }

  /** What two answers to one question have in common. Pages and errors contain the time, or the id of the request. */
  function lasting(answer: Buffer): string {
    return bodyOf(answer)
      .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\d.\d\d:\d\d[\d:.Z]*/g, 'TIME');
  }
});
