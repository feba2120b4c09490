import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { FetchFailure } from '../../../src/client/read/fetcher.ts';
import { HttpFetcher } from '../../../src/client/read/http-fetcher.ts';
import type { Report } from '../../../src/client/validate/report.ts';
import { checkSource, linesOf } from '../../support/rules/check-source.ts';
import { documentOf, ServedSource } from '../../support/served-source.ts';

const LIST = '/resourcelist.xml';
const MD = '<rs:md capability="resourcelist" at="2026-01-01T00:00:00Z"/>';
const TIMES = { idleMs: 5_000, responseMs: 10_000 };
const NEVER = new AbortController().signal;

describe('the validation of a hostile source @long', () => {
  let source: ServedSource;

  beforeEach(async () => {
    source = await ServedSource.start();
    source.describe({ resourcelist: LIST });
  });

  afterEach(() => source.close());

  const check = (limits = {}) => checkSource(`${source.baseUrl}/`, { limits });
  const assertFinds = (report: Report, rule: number, pattern: RegExp) =>
    assert.ok(
      report.findings.some(
        (finding) => finding.rule === rule && finding.level === 'MUST' && pattern.test(finding.message),
      ),
      linesOf(report).join('\n'),
    );

  it('ends in a document that does not', async () => {
    const begin = documentOf(`${source.link('up', '/set.xml')}${MD}`).replace('</urlset>\n', '');
    let sent = 0;
    source.answers.set(LIST, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.write(begin);
      const send = () => {
        while (!response.destroyed && response.write(`<url><loc>http://127.0.0.1/${sent++}</loc></url>\n`.repeat(100)));
      };
      response.on('drain', send);
      send();
    });
    assertFinds(await check({ documentBytes: 2_000_000 }), 24, /more than 2,000,000 bytes/);
  });

  it('ends in an index that leads to itself, and in two that lead to each other', async () => {
    const indexOf = (path: string) =>
      documentOf(
        `${source.link('up', '/set.xml')}${MD}<sitemap><loc>${source.baseUrl}${path}</loc></sitemap>`,
        'sitemapindex',
      );
    source.answers.set(LIST, indexOf(LIST));
    assertFinds(await check(), 25, /it is an index, in the index/);
    source.answers.set(LIST, indexOf('/other.xml'));
    source.answers.set('/other.xml', indexOf(LIST));
    assertFinds(await check(), 25, /it is an index, in the index/);
    assert.ok(source.requests.length < 60);
  });

  it('ends in a description that leads to ever more documents', async () => {
    const { baseUrl } = source;
    const entries = Array.from({ length: 500 }, (_, number) => `<url><loc>${baseUrl}/set.xml?${number}</loc></url>`);
    source.document('/.well-known/resourcesync', `<rs:md capability="description"/>${entries.join('')}`);
    const report = await check({ documents: 50 });
    assert.deepEqual(report.incomplete, ['it has more than 50 documents']);
    assert.ok(source.requests.length < 120);
  });

  it('ends in a small response that unpacks to a large one, packed once or twice', async () => {
    const bomb = gzipSync(documentOf('<url><loc>http://127.0.0.1/</loc></url>\n'.repeat(500_000)));
    assert.ok(bomb.length < 200_000);
    for (const bytes of [bomb, gzipSync(bomb)]) {
      source.answers.set(LIST, (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes));
      assertFinds(await check({ documentBytes: 1_000_000 }), 24, /more than 1,000,000 bytes/);
    }
  });

  it('does not wait for a server that switches to another protocol', async () => {
    source.answers.set(LIST, ({ socket }) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
    );
    assert.match(
      (await check()).incomplete.join(),
      /could not be read: the connection was closed before all bytes came/,
    );
  });

  it('does not wait for a server that sends nothing, or a byte at a time', async () => {
    source.answers.set(LIST, () => {});
    const { incomplete } = await check({ idleMs: 200 });
    assert.match(incomplete.join(), /resourcelist\.xml could not be read: the server sent nothing for 0.2 seconds/);
    source.answers.set(LIST, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    assertFinds(await check({ idleMs: 5_000, responseMs: 500 }), 28, /took longer than 0.5 seconds/);
  });

  it('ends when its own time is over, and reports what it found until then', async () => {
    source.answers.set(LIST, () => {});
    source.answers.set(
      '/set.xml',
      documentOf(
        '<rs:md capability="capabilitylist"/>'.repeat(2) +
          `<url><loc>${source.baseUrl}${LIST}</loc><rs:md capability="resourcelist"/></url>`,
      ),
    );
    const report = await check({ totalMs: 1_000 });
    assert.deepEqual(report.incomplete, ['it took longer than 1 seconds']);
    assertFinds(report, 2, /2 rs:md/);
  });

  it('does not follow redirects for ever', async () => {
    source.answers.set(LIST, (_, response) => response.writeHead(302, { location: LIST }).end());
    assertFinds(await check(), 28, /redirected more than 5 times/);
  });

  for (const [title, content, pattern] of [
    ['expands no entities', '&c;', /not well-formed/],
    ['reads no files', '&file;', /not well-formed/],
    ['keeps no attribute of megabytes', `<rs:ln rel="${'a'.repeat(3_000_000)}"/>`, /more than a million characters/],
    ['keeps no text of megabytes', `<url><loc>${'a'.repeat(3_000_000)}</loc></url>`, /characters/],
    ['keeps no comment of megabytes', `<!--${'a'.repeat(3_000_000)}-->`, /more than a million characters/],
    ['keeps no tree of a thousand levels', '<a>'.repeat(1_000), /nested more than 100 deep/],
    ['keeps no entry of a million links', `<url>${'<rs:ln/>'.repeat(100_000)}</url>`, /more than 1000 elements/],
    ['keeps no million links of a document', '<rs:ln/>'.repeat(100_000), /more than 1000 rs:md and rs:ln/],
  ] as const) {
    it(title, async () => {
      const dtd =
        '<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY c "&a;&a;&a;"><!ENTITY file SYSTEM "file:///etc/passwd">]>';
      source.answers.set(LIST, documentOf(content).replace('<urlset', `${dtd}<urlset`));
      assertFinds(await check(), 1, pattern);
    });
  }

  describe('that answers every path', () => {
    const CHANGES = '/changelist.xml';
    const RECENT = '/changelist-recent.xml';
    const up = () => source.link('up', '/set.xml');
    const recentOf = ({ findings }: Report) => findings.filter(({ document }) => document.endsWith(RECENT));

    beforeEach(() => {
      source.describe({ changelist: CHANGES });
      source.document(CHANGES, `${up()}<rs:md capability="changelist" from="2026-01-01T00:00:00Z"/>`);
    });

    it('has no faults in documents beside its Change List that it never named', async () => {
      for (const [title, body] of [
        ['a page', '<!doctype html><html><head><meta charset=utf-8><body>A page<br></html>'],
        ['a sitemap', documentOf('<url><loc>relative.html</loc><lastmod>yesterday</lastmod></url>'.repeat(2))],
        ['a sitemap that breaks off', documentOf('<url><loc>relative.html</loc></url>').replace('</urlset>', '')],
        ['a document of megabytes', documentOf('<!-- -->'.repeat(300_000))],
      ] as const) {
        source.answers.set(RECENT, body);
        const report = await check({ documentBytes: 2_000_000 });
        assert.deepEqual(recentOf(report), [], title);
        assert.ok(source.requests.includes(RECENT));
      }
    });

    it('has those of a Change List there', async () => {
      const md = '<rs:md capability="changelist" from="2026-01-01T00:00:00Z"/>';
      source.document(RECENT, `${up()}${md}<url><loc>relative.html</loc></url>`);
      assert.deepEqual(new Set(recentOf(await check()).map(({ rule }) => rule)), new Set([20, 71, 72]));
      source.answers.set(RECENT, documentOf(`${up()}${md}<url>`));
      assert.deepEqual(
        recentOf(await check()).map(({ rule }) => rule),
        [1],
      );
    });
  });

  it('reports a list with a relative address, of whichever capability', async () => {
    for (const capability of ['resourcelist', 'changelist', 'resourcedump', 'changedump']) {
      const entry = `<url><loc>lists/the-list.xml</loc><rs:md capability="${capability}"/></url>`;
      source.document('/set.xml', `<rs:md capability="capabilitylist"/>${entry}`);
      const report = await check();
      assertFinds(report, 20, /the-list\.xml is not an absolute URI/);
      assertFinds(report, 28, new RegExp(`the-list\\.xml is neither list nor index of ${capability}: it is not a URL`));
    }
  });

  it('reads a line of megabytes, when its entries are small', async () => {
    const entries = Array.from(
      { length: 30_000 },
      (_, number) => `<url><loc>${source.baseUrl}/${number}.txt</loc></url>`,
    );
    source.document(LIST, `${source.link('up', '/set.xml')}${MD}${entries.join('')}`);
    const report = await checkSource(`${source.baseUrl}/`, { sample: 0 });
    assert.deepEqual(
      linesOf(report).filter((line) => line.includes('MUST')),
      [],
    );
    assert.equal(report.entries, 30_002);
  });

  it('reads bytes that are not UTF-8, and a page of any size, to a clear end', async () => {
    source.answers.set(LIST, Buffer.concat([Buffer.from(documentOf('<url><loc>')), Buffer.from([0xff, 0xfe, 0x80])]));
    assertFinds(await check(), 1, /not well-formed|UTF-8/);
    source.answers.set('/', `<html>${'<link'.repeat(1_000_000)}`);
    assert.ok((await check()).documents > 0);
  });
});

describe('requests of the validator', () => {
  let source: ServedSource;

  beforeEach(async () => {
    source = await ServedSource.start();
  });

  afterEach(() => source.close());

  const get = async (uri: string, privateNetworks: readonly string[] | 'all') => {
    const fetcher = new HttpFetcher({ ...TIMES, privateNetworks });
    try {
      const { status, discard } = await fetcher.get(uri, 'identity', NEVER);
      discard();
      return status;
    } finally {
      fetcher.close();
    }
  };

  it('reach no private network and not this machine, by whatever name', async () => {
    const { port } = new URL(source.baseUrl);
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '10.0.0.1',
      '169.254.169.254',
      '2130706433',
    ]) {
      await assert.rejects(
        get(`http://${host}:${port}/`, []),
        (error: Error) => error instanceof FetchFailure && /private network/.test(error.message),
        host,
      );
    }
    assert.deepEqual(source.requests, []);
  });

  it('reach networks that the settings name, and follow no redirect out of them', async () => {
    source.answers.set('/', 'here');
    source.answers.set('/away', (_, response) =>
      response.writeHead(302, { location: source.baseUrl.replace('127.0.0.1', '127.0.0.2') }).end(),
    );
    assert.equal(await get(`${source.baseUrl}/`, ['127.0.0.1/32']), 200);
    await assert.rejects(get(`${source.baseUrl}/away`, ['127.0.0.1/32']), /private network/);
  });

  it('go to http and https alone', async () => {
    for (const uri of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:text/xml,<urlset/>']) {
      await assert.rejects(get(uri, 'all'), /neither http: nor https:/);
    }
  });
});
