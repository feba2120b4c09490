import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { DatasetFetcher, FetchOptions } from '../../../../src/datasets/fetch/dataset-fetcher.ts';
import { type FetcherOptions, openFetcher } from '../../../../src/datasets/fetch/open-fetcher.ts';
import { readBytes } from '../../../../src/datasets/fetch/read-body.ts';
import { type FileServer, startFileServer } from '../../../support/file-server.ts';
import { useTempFolder } from '../../../support/temp-folder.ts';

describe('openFetcher', () => {
  const folder = useTempFolder();
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  async function serve(listener: RequestListener): Promise<FileServer> {
    const server = await startFileServer(listener);
    closers.push(() => server.close());
    return server;
  }
  function open(options: Partial<FetcherOptions> = {}): DatasetFetcher {
    const fetcher = openFetcher({ networks: ['127.0.0.1'], tokens: [], attempts: 1, ...options });
    closers.push(() => fetcher.close());
    return fetcher;
  }
  const asked = (options: Partial<FetchOptions> = {}): FetchOptions => ({
    signal: AbortSignal.timeout(30_000),
    unanswered: 'file-not-fetched',
    ...options,
  });
  async function read(fetcher: DatasetFetcher, url: string, options?: Partial<FetchOptions>) {
    const fetched = await fetcher.get(url, asked(options));
    return { ...fetched, text: Buffer.from((await readBytes(fetched, 1e9)).bytes).toString() };
  }

  it('records each request and response as they were sent, without credentials (d14)', async () => {
    folder.write('token', 'secret-1');
    const { url } = await serve((request, response) => {
      if (request.url === '/new?a=1') return response.setHeader('X-Twice', ['a', 'b']).end('data');
      return response.writeHead(302, 'Over There', { Location: '/new?a=1', 'Content-Length': 5 }).end('moved');
    });
    const fetcher = open({ contact: 'a@b.example', tokens: [{ host: new URL(url).host, file: folder.at('token') }] });
    const { hops, text, url: last, status } = await read(fetcher, `${url}/old`, { accept: 'text/csv' });
    assert.deepEqual([text, last, status], ['data', `${url}/new?a=1`, 200]);
    const [first, second] = hops;
    const version = /tidemark\/[^ ]+ \(a@b\.example\)/.exec(first!.requestHead)![0];
    assert.deepEqual(first!.requestHead.split('\r\n'), [
      'GET /old HTTP/1.1',
      `user-agent: ${version}`,
      'accept: text/csv',
      'accept-encoding: identity',
      `Host: ${new URL(url).host}`,
      'Connection: keep-alive',
      '',
      '',
    ]);
    assert.match(first!.responseHead, /^HTTP\/1\.1 302 Over There\r\nLocation: \/new\?a=1\r\n.*\r\n\r\n$/s);
    assert.equal(Buffer.from(first!.body!).toString(), 'moved');
    assert.equal(first!.address, '127.0.0.1');
    assert.ok(Math.abs(first!.time - Date.now()) < 60_000);
    assert.match(second!.requestHead, /^GET \/new\?a=1 HTTP\/1\.1\r\n/);
    assert.match(second!.responseHead, /\r\nX-Twice: a\r\nX-Twice: b\r\n/);
    assert.equal(second!.body, undefined);
    assert.doesNotMatch(JSON.stringify(hops), /secret-1|authorization/i);
  });

  it('records 64 kB of the body of a redirect, and does not wait for the rest', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/new') return response.end('data');
      return response.writeHead(302, { location: '/new' }).write(Buffer.alloc(200_000));
    });
    const { hops, text } = await read(open({ idleMs: 60_000 }), `${url}/old`, { signal: AbortSignal.timeout(4_000) });
    assert.deepEqual([hops[0]!.body!.length, text], [65_536, 'data']);
  });

  it('sends a token to its own host alone, whatever redirects', async () => {
    folder.write('token', 'secret-1');
    const seen: string[] = [];
    const note = (name: string, { url, headers }: Parameters<RequestListener>[0]) =>
      seen.push(`${name}${url} ${headers.authorization ?? '-'}`);
    const other = await serve((request, response) => {
      note('other', request);
      const to = request.url === '/to-own' ? `${own.url}/private` : undefined;
      return to === undefined ? response.end() : response.writeHead(302, { location: to }).end();
    });
    const own = await serve((request, response) => {
      note('own', request);
      const to = { '/out': `${other.url}/file`, '/in': '/file' }[request.url!];
      return to === undefined ? response.end() : response.writeHead(302, { location: to }).end();
    });
    const fetcher = open({ tokens: [{ host: new URL(own.url).host, file: folder.at('token') }] });
    for (const url of [`${own.url}/out`, `${own.url}/in`, `${other.url}/to-own`]) await read(fetcher, url);
    assert.deepEqual(seen, [
      'own/out Bearer secret-1',
      'other/file -',
      'own/in Bearer secret-1',
      'own/file Bearer secret-1',
      'other/to-own -',
      'own/private -',
    ]);
  });

  it('pauses the host that asks for it, not the one that has redirected to it, such as the resolver of DOIs', async () => {
    const pauses: string[] = [];
    let status = 200;
    const busy = await serve((_, response) =>
      response
        .writeHead(busy.requests.length === 1 ? 503 : status, { 'retry-after': status === 429 ? '3600' : '0' })
        .end('data'),
    );
    const { url: other } = await serve((_, response) => response.end('data'));
    const silent = await serve(() => {});
    await silent.close();
    const to: Record<string, string> = { '/busy': busy.url, '/again': `${busy.url}/again`, '/silent': silent.url };
    const resolver = await serve(({ url = '' }, response) =>
      response.writeHead(302, { location: to[url] ?? other }).end(),
    );
    const fetcher = open({ attempts: 2, onPause: (reason) => pauses.push(reason) });
    const at = (path: string) => read(fetcher, `${resolver.url}${path}`);
    assert.equal((await at('/busy')).text, 'data');
    await assert.rejects(at('/silent'), /refuses the connection/);
    assert.deepEqual(
      pauses.map((one) => one.split(': ')[0]),
      [new URL(busy.url).host, new URL(silent.url).host],
    );
    status = 429;
    assert.equal((await at('/busy')).status, 429);
    assert.equal((await at('/other')).text, 'data');
    await assert.rejects(at('/again'), /asks for no request before/);
    assert.equal(busy.requests.length, 3);
  });

  it('requests no private address, however it is written', async () => {
    const { url, requests } = await serve((_, response) => response.end());
    const { port } = new URL(url);
    const fetcher = open({ networks: [] });
    const hosts = ['127.0.0.1', '2130706433', '0x7f.1', 'localhost', '0.0.0.0', '[::1]', '[::]'].concat(
      ['[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fd00::1]', '[fe80::1]'],
      ['169.254.169.254', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '[fd00:ec2::254]'],
    );
    for (const host of hosts) {
      await assert.rejects(
        fetcher.get(`http://${host}:${port}/`, asked()),
        { status: 'blocked-network', message: /private network.*--dataset-networks/ },
        host,
      );
    }
    assert.deepEqual(requests, []);
  });

  it('checks the address of a name at each connection: it may change', async () => {
    const requests: string[] = [];
    const listener: RequestListener = (request, response) => {
      requests.push(request.socket.localAddress!);
      response.setHeader('connection', 'close').end();
    };
    const first = await serve(listener);
    const port = Number(new URL(first.url).port);
    const second = createServer(listener).listen(port, '127.0.0.2');
    closers.push(() => second.close());
    await once(second, 'listening');
    assert.equal((second.address() as AddressInfo).port, port);
    const addresses = ['127.0.0.1', '127.0.0.2'];
    const lookup: LookupFunction = (_name, { all }, done) => {
      const address = addresses.shift()!;
      if (all === true) done(null, [{ address, family: 4 }]);
      else done(null, address, 4);
    };
    const fetcher = open({ lookup });
    await read(fetcher, `http://changing.example:${port}/`);
    await assert.rejects(fetcher.get(`http://changing.example:${port}/`, asked()), { status: 'blocked-network' });
    assert.deepEqual([requests, addresses], [['127.0.0.1'], []]);
  });

  it('undoes a Content-Encoding that it did not accept, and stops at a bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(40_000_000));
    const encodings: Record<string, Buffer> = {
      gzip: gzipSync('data'),
      'x-gzip': gzipSync('data'),
      deflate: deflateSync('data'),
      br: brotliCompressSync('data'),
      zstd: zstdCompressSync('data'),
      compress: Buffer.from('data'),
      'gzip, br': gzipSync('data'),
    };
    const { url } = await serve((request, response) => {
      const coding = decodeURIComponent(request.url!.slice(1));
      if (coding === 'bomb') return response.setHeader('content-encoding', 'gzip').end(bomb);
      if (coding === 'wrong') return response.setHeader('content-encoding', 'gzip').end('no gzip');
      return response.setHeader('content-encoding', coding).end(encodings[coding]);
    });
    const fetcher = open();
    for (const coding of ['gzip', 'x-gzip', 'deflate', 'br', 'zstd']) {
      assert.equal((await read(fetcher, `${url}/${coding}`)).text, 'data', coding);
    }
    for (const [path, message] of [
      ['compress', /Content-Encoding compress/],
      ['gzip, br', /Content-Encoding gzip, br/],
      ['wrong', /not in the Content-Encoding gzip/],
      ['bomb', /more than 200 times as long/],
    ] as const) {
      const failure = { status: 'file-not-fetched', message };
      await assert.rejects(read(fetcher, `${url}/${encodeURIComponent(path)}`), failure, path);
    }
  });

  it('asks for the rest of a file at the URL of the platform (d17)', async () => {
    const seen: unknown[] = [];
    const { url } = await serve(({ headers, method, url: path }, response) => {
      seen.push([method, path, headers.range, headers['if-range']]);
      if (path === '/file') return response.writeHead(302, { location: '/signed?Signature=abc' }).end();
      return response.writeHead(206, { 'content-range': 'bytes 2-3/4' }).end('ta');
    });
    const { text, status } = await read(open(), `${url}/file`, { resume: { from: 2, etag: '"e"' } });
    assert.deepEqual([text, status], ['ta', 206]);
    assert.deepEqual(seen, [
      ['GET', '/file', 'bytes=2-', '"e"'],
      ['GET', '/signed?Signature=abc', 'bytes=2-', '"e"'],
    ]);
  });

  it('refuses a URL or a redirect that does not lead to the web, or that has a login', async () => {
    const { url } = await serve(({ url: path }, response) =>
      response.writeHead(302, { location: decodeURIComponent(path!.slice(1)) }).end(),
    );
    const fetcher = open();
    for (const bad of [
      'file:///etc/passwd',
      'ftp://a.example/b',
      'no URL',
      'data:text/plain,a',
      'http://a:b@c.example/',
    ]) {
      await assert.rejects(fetcher.get(bad, asked()), { status: 'bad-url' }, bad);
      if (bad === 'no URL') continue;
      const failure = { status: 'redirect-refused', message: /redirected to/ };
      await assert.rejects(fetcher.get(`${url}/${encodeURIComponent(bad)}`, asked()), failure, bad);
    }
  });
});
