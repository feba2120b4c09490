import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { openFetcher } from '../../src/datasets/fetch/open-fetcher.ts';
import { IngestFailure } from '../../src/datasets/ingest-failure.ts';
import { crawlLanding } from '../../src/datasets/landing/crawl-landing.ts';
import { type HtmlParser, openHtmlParser } from '../../src/datasets/landing/parse-html.ts';
import { type FileServer, startFileServer, startRawServer } from '../support/file-server.ts';
import { until } from '../support/until.ts';

const HTML = { 'content-type': 'text/html' };
/** Milliseconds of the longest time of a page, where it is shorter than usual. */
const PAGE_MS = 400;

describe('a hostile landing page', () => {
  let server: FileServer;
  let listener: RequestListener;
  let html: HtmlParser;
  let fetcher: ReturnType<typeof openFetcher>;
  before(async () => {
    server = await startFileServer((request, response) => listener(request, response));
    html = openHtmlParser();
  });
  beforeEach(() => {
    server.requests.length = 0;
    fetcher = openFetcher({ networks: ['127.0.0.1'], tokens: [], attempts: 2, pageMs: 10_000 });
  });
  afterEach(() => fetcher.close());
  after(async () => {
    await html.close();
    await server.close();
  });

  const crawl = (url = `${server.url}/`, signal = AbortSignal.timeout(60_000), parser = html) =>
    crawlLanding(url, { fetcher, html: parser, signal });
  const serve = (page: string | Uint8Array, headers: Record<string, string> = HTML) => {
    listener = (_, response) => response.writeHead(200, headers).end(page);
  };
  const redirect = (to: string) => {
    listener = (_, response) => response.writeHead(302, { location: to }).end();
  };
  async function assertFails(status: IngestFailure['status'], message: RegExp, url?: string): Promise<IngestFailure> {
    const failure: unknown = await crawl(url).then(
      () => undefined,
      (error) => error,
    );
    assert.ok(failure instanceof IngestFailure, String(failure));
    assert.deepEqual([failure.status, message.test(failure.message)], [status, true], failure.message);
    return failure;
  }
  /** Sends a text again and again, until the client goes away. */
  function endlessly(response: ServerResponse, text: string): void {
    const write = () => !response.destroyed && response.write(text, () => setImmediate(write));
    write();
  }

  describe('redirects', () => {
    it('in a loop: redirect-loop', async () => {
      listener = ({ url }, response) =>
        response.writeHead(302, { location: url === '/' ? '/a' : url === '/a' ? '/b' : '/a#again' }).end();
      await assertFails('redirect-loop', /\/ cannot be fetched: its redirects lead back to themselves: open it/);
      assert.deepEqual(server.requests, ['/', '/a', '/b']);
    });

    it('without end: redirect-loop after 20 of them, not before', async () => {
      let most = Number.POSITIVE_INFINITY;
      listener = ({ url }, response) => {
        const number = Number(url!.slice(1));
        if (number === most) return response.writeHead(200, HTML).end('<title>x</title>');
        return response.writeHead(301, { location: `/${number + 1}` }).end();
      };
      await assertFails('redirect-loop', /redirected more than 20 times/);
      assert.equal(server.requests.length, 21);
      most = 20;
      const { landing } = await crawl();
      assert.deepEqual([landing.hops.length, landing.url], [21, `${server.url}/20`]);
    });

    it('into a private network: blocked-network, and nothing is requested there', async () => {
      const requests: string[] = [];
      const other = createServer((request, response) => {
        requests.push(request.url!);
        response.end();
      }).listen(0, '127.0.0.2');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      try {
        for (const host of ['127.0.0.2', '[::ffff:127.0.0.2]', '0.0.0.0']) {
          redirect(`http://${host}:${port}/secret?token=abc`);
          const { message } = await assertFails(
            'blocked-network',
            /private network.*redirected to .*--dataset-networks/,
          );
          assert.doesNotMatch(message, /abc/);
        }
        redirect('http://169.254.169.254/latest/meta-data/');
        await assertFails('blocked-network', /redirected to 169\.254\.169\.254/);
      } finally {
        other.close();
      }
      assert.deepEqual(requests, []);
    });

    it('to another scheme: redirect-refused', async () => {
      for (const to of ['file:///etc/passwd', 'ftp://data.example/a', 'data:text/html,a', 'javascript:alert(1)']) {
        redirect(to);
        await assertFails('redirect-refused', /it has the scheme \w+:, neither http: nor https:/);
      }
      redirect('http://[');
      await assertFails('redirect-refused', /not a URL/);
    });

    it('whose own body never ends are followed all the same', async () => {
      listener = ({ url }, response) => {
        if (url !== '/') return response.writeHead(200, HTML).end('<title>x</title>');
        return endlessly(response.writeHead(302, { location: '/a' }), 'x'.repeat(10_000));
      };
      const { landing } = await crawl();
      assert.equal(landing.url, `${server.url}/a`);
    });
  });

  describe('statuses', () => {
    it('403, 404, 410 and others: terminal-bad-status, with where and what to do', async () => {
      for (const [code, message] of [
        [401, /asks for a login/],
        [403, /refuses programs, or asks for a login/],
        [404, /does not exist: check the URL, or the DOI/],
        [410, /was removed there/],
        [451, /legal reasons/],
        [204, /answers 204: open it in a browser/],
        [300, /answers 300: open it in a browser/],
      ] as const) {
        listener = (_, response) => response.writeHead(code).end();
        const { terminal } = await assertFails('terminal-bad-status', message, `${server.url}/a?token=abc`);
        assert.deepEqual([terminal?.url, terminal?.statusCode], [`${server.url}/a`, code]);
        assert.match(terminal!.dt!, /^\d{14}$/);
      }
    });

    it('429 and 503: requested again after a while, then no-capture, which a later attempt may change', async () => {
      for (const code of [429, 503]) {
        server.requests.length = 0;
        listener = (_, response) => response.writeHead(code).end();
        const { terminal } = await assertFails('no-capture', new RegExp(`answers ${code}: .*try again later`));
        assert.deepEqual([terminal?.statusCode, server.requests.length], [code, 2]);
      }
      let requests = 0;
      listener = (_, response) => {
        requests += 1;
        if (requests > 1) return response.writeHead(200, HTML).end('<title>x</title>');
        return response.writeHead(503, { 'retry-after': '1' }).end();
      };
      const begun = performance.now();
      await crawl();
      assert.ok(performance.now() - begun >= 900);
    });

    it('429 and 503 that ask for a long pause: no-capture at once', async () => {
      for (const code of [503, 429]) {
        server.requests.length = 0;
        listener = (_, response) => response.writeHead(code, { 'retry-after': '3600' }).end();
        await assertFails('no-capture', new RegExp(`answers ${code}`), `${server.url}/${code}`);
        assert.equal(server.requests.length, 1);
      }
      await assertFails('no-capture', /asks for no request before \d{4}-/, `${server.url}/other`);
    });

    it('a challenge, by its status, header or title: blocked-challenge (d17)', async () => {
      for (const [code, headers, body] of [
        [202, HTML, '<title>Data</title>'],
        [200, { ...HTML, 'x-amzn-waf-action': 'captcha' }, '<title>Data</title>'],
        [403, { ...HTML, 'cf-mitigated': 'challenge' }, ''],
        [200, HTML, '<title>Just a moment...</title>'],
        [200, HTML, '<title>Making sure you&#39;re not a bot!</title>'],
      ] as const) {
        listener = (_, response) => response.writeHead(code, headers).end(body);
        await assertFails('blocked-challenge', /which only a browser|that only a browser/);
      }
      serve('<title>Just a moment</title><meta name="citation_title" content="Just a moment">');
      assert.equal((await crawl()).biblio?.title, 'Just a moment');
    });

    it('no server, no answer, an empty page: no-capture', async () => {
      const silent = await startRawServer((socket) => socket.destroy());
      try {
        await assertFails('no-capture', /cannot be fetched: /, silent.url);
      } finally {
        await silent.close();
      }
      await assertFails('no-capture', /refuses the connection/, silent.url);
      serve('');
      await assertFails('no-capture', /is empty/);
    });
  });

  describe('bodies', () => {
    it('slow drip, in head or body: no-capture after the longest time', async () => {
      const dripping = await startRawServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('X-A: b\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      });
      fetcher.close();
      fetcher = openFetcher({ networks: ['127.0.0.1'], tokens: [], attempts: 1, pageMs: PAGE_MS });
      try {
        await assertFails('no-capture', /took longer than 0\.4 seconds/, dripping.url);
      } finally {
        await dripping.close();
      }
      listener = (_, response) => {
        response.writeHead(200, HTML);
        const timer = setInterval(() => response.write('<'), 20);
        response.on('close', () => clearInterval(timer));
      };
      await assertFails('no-capture', /took longer than 0\.4 seconds/);
      assert.equal(server.requests.length, 1);
    });

    it('cut off: requested again, then no-capture', async () => {
      listener = (_, response) =>
        response.writeHead(200, { ...HTML, 'content-length': 100 }).write('<title>', () => response.destroy());
      await assertFails('no-capture', /closed before all bytes came|ended the connection/);
      assert.equal(server.requests.length, 3);
    });

    it('gzip bomb: html-too-large, after 5 MB', async () => {
      serve(gzipSync(Buffer.alloc(30_000_000, ' ')), { ...HTML, 'content-encoding': 'gzip' });
      await assertFails('html-too-large', /head of more than 5,000,000 bytes/);
    });

    it('HTML without end: html-too-large, unless its head was whole before', async () => {
      let closed = 0;
      let head = '<title>Data</title>';
      listener = (_, response) => {
        response.on('close', () => {
          closed += 1;
        });
        endlessly(response.writeHead(200, HTML), head + '<p>text</p>'.repeat(5_000));
        head = '';
      };
      await assertFails('html-too-large', /request the dataset by another URL/);
      head = '<title>Data</title></head>';
      const { landing, biblio } = await crawl();
      assert.deepEqual([biblio?.title, landing.sha1hex], ['Data', undefined]);
      await until('both connections are closed', async () => closed === 2);
    });

    it('nested without end, while others are served: html-too-complex, by a time of its own', async () => {
      const quick = openHtmlParser({ timeoutMs: 1_500 });
      const hostile = `<title>x</title></head>${'<svg>'.repeat(400_000)}`;
      listener = ({ url }, response) =>
        response.writeHead(200, HTML).end(url === '/good' ? '<title>good</title>' : hostile);
      let longestMs = 0;
      let last = performance.now();
      const timer = setInterval(() => {
        longestMs = Math.max(longestMs, performance.now() - last);
        last = performance.now();
      }, 5);
      try {
        // More than threads, so that some wait: waiting does not count.
        const crawled = (path: string) => crawl(server.url + path, undefined, quick);
        const failure = { status: 'html-too-complex', message: /takes longer than 1\.5 s to be read: request/ };
        const hostiles = ['/1', '/2', '/3'].map((path) => assert.rejects(crawled(path), failure));
        const good = crawled('/good');
        await Promise.all(hostiles);
        assert.equal((await good).biblio?.title, 'good');
      } finally {
        clearInterval(timer);
        await quick.close();
      }
      assert.ok(longestMs < 500, `${longestMs} ms`);
    });

    it('a million objects of JSON-LD, which no thread of its own reads: html-too-complex', async () => {
      serve(`<script type="application/ld+json">["Dataset"${',{}'.repeat(1_000_000)}]</script>`);
      await assertFails('html-too-complex', /has more than 60,000 objects in its JSON-LD: request the dataset/);
    });

    it('a million elements, an attribute of 2 MB, 300,000 attributes, endless meta: read', async () => {
      const metas = Array.from({ length: 100_000 }, (_, n) => `<meta name="m${n}" content="${n}">`).join('');
      for (const body of [
        '<b>'.repeat(1_000_000),
        `<p title="${'x'.repeat(2_000_000)}">`,
        `<p ${Array.from({ length: 300_000 }, (_, n) => `a${n}`).join(' ')}>`,
        metas,
      ]) {
        serve(`<title>Data</title>${body}`);
        const { biblio } = await crawl();
        assert.equal(biblio?.title, 'Data');
        assert.ok(Object.keys(biblio!.meta).length <= 200);
      }
    });

    it('that is aborted ends at once, also in its thread', async () => {
      serve('<svg>'.repeat(400_000));
      const stop = new AbortController();
      const crawled = crawl(undefined, stop.signal);
      await until('the page is requested', async () => server.requests.length === 1, 5);
      stop.abort(new Error('stopped'));
      await assert.rejects(crawled, /stopped/);
    });
  });

  describe('types', () => {
    it('no charset, a wrong one, no type: read as far as it can be', async () => {
      for (const type of ['text/html', 'text/html; charset=nonsense', 'TEXT/HTML;charset="utf-8"', '']) {
        serve('<!doctype html><title>Straße</title>', type === '' ? {} : { 'content-type': type });
        const { biblio, landing } = await crawl();
        assert.deepEqual([biblio?.title, landing.isHtml], ['Straße', true], type);
      }
      serve(Buffer.from('<title>Stra\xdfe</title>', 'latin1'), { 'content-type': 'text/html; charset=utf-8' });
      assert.equal((await crawl()).biblio?.title, 'Stra�e');
    });

    it('no HTML: not read at all, and described by its head (D23, d20)', async () => {
      let hasClosed = false;
      const disposition = 'attachment; filename="..\\\\..\\\\data.rar"';
      listener = (_, response) => {
        response.on('close', () => {
          hasClosed = true;
        });
        const headers = { 'content-type': 'application/X-RAR; a=b', 'content-disposition': disposition };
        endlessly(response.writeHead(200, { ...headers, 'content-length': 1e12 }), 'x'.repeat(10_000));
      };
      const { landing, biblio } = await crawl();
      assert.deepEqual(
        [landing.isHtml, landing.mimetype, landing.length, landing.fileName, landing.sha1hex, biblio],
        [false, 'application/x-rar', 1e12, 'data.rar', undefined, undefined],
      );
      await until('the connection is closed', async () => hasClosed);
      serve(Buffer.from([0x52, 0x61, 0x72, 0x21]), {});
      assert.equal((await crawl()).landing.isHtml, false);
    });

    it('redirects and Link headers lead to what a platform is recognized by (D20, D21, D22)', async () => {
      listener = ({ url }, response) => {
        if (url === '/doi') return response.writeHead(303, { location: '/dataset?id=1' }).end();
        const link = '</ls>; rel="linkset"; type="application/linkset+json", </f>; rel=item';
        return response
          .writeHead(200, { ...HTML, link })
          .end('<head><link rel=item href="/f"><link rel=license href=l></head>');
      };
      const { landing } = await crawl(`${server.url}/doi`);
      assert.deepEqual(landing.hops, [`${server.url}/doi`, `${server.url}/dataset?id=1`]);
      assert.match(landing.dt, /^\d{14}$/);
      assert.deepEqual(landing.signposts, [
        { rel: 'linkset', href: `${server.url}/ls`, type: 'application/linkset+json', from: 'header' },
        { rel: 'item', href: `${server.url}/f`, from: 'header' },
        { rel: 'license', href: `${server.url}/l`, from: 'html' },
      ]);
    });
  });
});
