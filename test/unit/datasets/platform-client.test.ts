import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { openFetcher } from '../../../src/datasets/fetch/open-fetcher.ts';
import { openPlatformClient, type PlatformClientOptions } from '../../../src/datasets/platform-client.ts';
import { type FileServer, startFileServer } from '../../support/file-server.ts';
import { until } from '../../support/until.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('openPlatformClient', () => {
  let server: FileServer;
  let listener: RequestListener;
  let fetcher: ReturnType<typeof openFetcher>;
  before(async () => {
    server = await startFileServer((request, response) => listener(request, response));
    fetcher = openFetcher({ networks: ['127.0.0.1'], tokens: [], attempts: 1 });
  });
  after(async () => {
    fetcher.close();
    await server.close();
  });

  const open = (options: Partial<PlatformClientOptions> = {}) =>
    openPlatformClient({ fetcher, signal: AbortSignal.timeout(30_000), ...options });
  const answer = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE, status = 200) => {
    listener = (_, response) => response.writeHead(status, headers).end(body);
  };

  it('reads JSON, and reports replies as they came', async () => {
    const replies: unknown[] = [];
    answer('{"a": ["é"]}');
    const client = open({ onReply: (reply) => replies.push(reply) });
    assert.deepEqual(await client.json(`${server.url}/api?token=abc`), { a: ['é'] });
    answer('no such dataset', JSON_TYPE, 404);
    await assert.rejects(client.json(`${server.url}/none`), { status: 'platform-404' });
    assert.deepEqual(replies, [
      { url: `${server.url}/api`, status: 200, text: '{"a": ["é"]}' },
      { url: `${server.url}/none`, status: 404, text: 'no such dataset' },
    ]);
  });

  it('returns any text with its type', async () => {
    listener = ({ headers }, response) =>
      response.writeHead(200, { 'content-type': 'application/LINKSET; a=b' }).end(headers.accept);
    const reply = await open().text(`${server.url}/links`, { accept: 'application/linkset' });
    assert.deepEqual(reply, {
      url: `${server.url}/links`,
      mimetype: 'application/linkset',
      text: 'application/linkset',
    });
  });

  it('gives each refusal of the platform its status, and says what to do', async () => {
    for (const [code, status, message] of [
      [401, 'platform-restricted', /answers 401: it asks for a login/],
      [403, 'platform-restricted', /answers 403/],
      [404, 'platform-404', /answers 404: it does not exist: check the URL/],
      [410, 'platform-404', /answers 410: it was removed/],
      [429, 'error-platform-download', /answers 429: .* try again later/],
      [500, 'error-platform-download', /answers 500: .* try again later/],
      [202, 'blocked-challenge', /answers 202, with a challenge/],
      [204, 'bad-platform-reply', /answers 204/],
      [400, 'bad-platform-reply', /answers 400/],
    ] as const) {
      answer('', JSON_TYPE, code);
      await assert.rejects(open().json(server.url), { status, message }, String(code));
    }
    answer('{}', { ...JSON_TYPE, 'x-amzn-waf-action': 'challenge' });
    await assert.rejects(open().json(server.url), { status: 'blocked-challenge' });
  });

  it('refuses a reply that is no JSON, too long, or nested too deeply', async () => {
    const failure = (message: RegExp) => ({ status: 'bad-platform-reply', message });
    answer('<!doctype html>', { 'content-type': 'text/html' });
    await assert.rejects(open().json(server.url), failure(/is no JSON.*text\/html.*--raw/));
    answer('{"a": ');
    await assert.rejects(open().json(server.url), failure(/is no JSON/));
    answer(Buffer.from('"\xff"', 'latin1'));
    await assert.rejects(open().json(server.url), failure(/is no JSON/));
    answer('['.repeat(100) + ']'.repeat(100));
    await assert.rejects(open().json(server.url), failure(/nested more than 64 levels deep/));
    let hasEnded = false;
    listener = (_, response) => {
      response.writeHead(200, JSON_TYPE).on('close', () => {
        hasEnded = true;
      });
      const write = () => !response.destroyed && response.write(' '.repeat(10_000), () => setImmediate(write));
      write();
    };
    await assert.rejects(open({ mostBytes: 100_000 }).json(server.url), failure(/has more than 100,000 bytes/));
    await until('the connection is closed', async () => hasEnded);
  });

  it('requests a reply again that breaks off, three times in all', async () => {
    let requests = 0;
    listener = (_, response) => {
      requests += 1;
      if (requests >= 3) return response.end('[1]');
      return response.writeHead(200, { 'content-length': 100 }).write('[', () => response.destroy());
    };
    assert.deepEqual(await open().json(server.url), [1]);
    requests = -2;
    await assert.rejects(open().json(server.url), { status: 'error-platform-download', message: /cannot be read/ });
    assert.equal(requests, 1);
  });
});
