import assert from 'node:assert/strict';
import { biblioOf, doiIn } from '../../../../src/datasets/landing/biblio.ts';
import { readPage } from '../../../../src/datasets/landing/read-page.ts';

const URL_OF_PAGE = 'https://data.example/dataset/1';

const read = (page: string | Uint8Array, charset?: string) =>
  readPage({ url: URL_OF_PAGE, bytes: new Uint8Array(Buffer.from(page as string)), charset });

describe('readPage', () => {
  it('reads title, meta elements and typed links of the head, and JSON-LD of the whole page (D22)', () => {
    const page = read(`<!doctype html><html><head><base href="/sub/"><base href="/no/">
      <title>Rocks &amp;\n minerals</title>
      <META NAME="Citation_DOI" CONTENT="https://doi.org/10.7910/DVN/CLSFKX">
      <meta property="og:site_name" content="Data Hall"><meta name="generator" content="Dataverse 6.2">
      <meta name="citation_author" content="A"><meta name="citation_author" content="B"><meta name="empty" content="">
      <link rel="Item author" href="a.csv" type="text/csv"><link rel="item" href="mailto:a@b.example">
      <script type="application/ld+json">{"a": "<b>"}</script><script>document.write('<title>No</title>')</script>
      </head><body><svg><title>Icon</title></svg><link rel="item" href="b.csv"><meta name="late" content="x">
      <script type='application/ld+json; charset=utf-8'>[2]</script><!-- <script type="application/ld+json">3</script> -->`);
    assert.deepEqual(biblioOf(page), {
      title: 'Rocks & minerals',
      doi: '10.7910/dvn/clsfkx',
      generator: 'Dataverse 6.2',
      siteName: 'Data Hall',
      meta: {
        citation_doi: ['https://doi.org/10.7910/DVN/CLSFKX'],
        'og:site_name': ['Data Hall'],
        generator: ['Dataverse 6.2'],
        citation_author: ['A', 'B'],
      },
    });
    const link = { href: 'https://data.example/sub/a.csv', type: 'text/csv', from: 'html' };
    assert.deepEqual(page.signposts, [
      { rel: 'item', ...link },
      { rel: 'author', ...link },
    ]);
    assert.deepEqual(page.jsonLd, ['{"a": "<b>"}', '[2]']);
    assert.equal(page.isHeadWhole, true);
    assert.match(page.sha1hex, /^[0-9a-f]{40}$/);
  });

  it('notes where a page leads on by itself', () => {
    for (const [content, href] of [
      ['0; url=/next', 'https://data.example/next'],
      ["5;URL='https://other.example/a?b=1#c'", 'https://other.example/a?b=1'],
      ['0, next', 'https://data.example/dataset/next'],
      ['0;url=file:///etc/passwd', undefined],
      ['30', undefined],
    ] as const) {
      const { signposts } = read(`<meta http-equiv="Refresh" content="${content}">`);
      assert.deepEqual(signposts, href === undefined ? [] : [{ rel: 'refresh', href, from: 'html' }], content);
    }
  });

  it('knows the end of the head by its end tag, or by that of the body', () => {
    for (const [html, isWhole] of [
      ['<title>x</title>', false],
      ['<title>x</title></head>', true],
      ['<title>x</title><body>', true],
      ['<title></head>', false],
    ] as const) {
      assert.equal(read(html).isHeadWhole, isWhole, html);
    }
  });

  it('decodes a page by its mark, its header, its meta element, or by what it is', () => {
    const latin = Buffer.from('<title>Stra\xdfe</title>', 'latin1');
    const withMeta = (charset: string) => Buffer.concat([Buffer.from(`<meta charset="${charset}">`), latin]);
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<title>Straße</title>', 'utf16le')]);
    for (const [bytes, charset] of [
      [latin, undefined],
      [latin, 'ISO-8859-1'],
      [latin, 'no-such-charset'],
      [latin, 'iso-2022-kr'],
      [withMeta('latin1'), undefined],
      [withMeta('nonsense'), undefined],
      [Buffer.from('<title>Straße</title>'), undefined],
      [Buffer.from('<meta charset=utf-16><title>Straße</title>'), undefined],
      [Buffer.from('<title>Straße</title>'), 'utf8'],
      [marked, 'utf-8'],
    ] as const) {
      assert.equal(read(bytes, charset).title, 'Straße', `${bytes.toString('latin1')} ${charset}`);
    }
    assert.equal(read(latin, 'utf-8').title, 'Stra�e');
  });

  it('reads a limited number of meta elements, links and scripts', () => {
    const many = (text: string) => Array.from({ length: 2_000 }, (_, n) => text.replaceAll('N', String(n))).join('');
    const page = read(
      many(
        '<meta name=mN content=x><meta name=m0 content=y><link rel=item href=N><script type=application/ld+json>N</script>',
      ),
    );
    assert.equal(Object.keys(page.meta).length, 200);
    assert.equal(page.meta.m0!.length, 200);
    assert.equal(page.signposts.length, 1_000);
    assert.equal(page.jsonLd.length, 50);
    const long = read(`<meta name="__proto__" content="x"><meta name="a" content="${'x'.repeat(10_000)}">`);
    assert.deepEqual(Object.keys(long.meta), ['a']);
    assert.equal(long.meta.a![0]!.length, 2_000);
  });
});

describe('doiIn', () => {
  it('finds a DOI with any prefix', () => {
    for (const text of [
      '10.5072/A.b',
      'doi:10.5072/A.b',
      'DOI: 10.5072/A.b',
      'https://dx.doi.org/10.5072/A.b',
      'doi.org/10.5072/A.b',
    ]) {
      assert.equal(doiIn(text), '10.5072/a.b', text);
    }
    for (const text of ['hdl:1902.1/12612', '10.5072', 'see 10.5072/a', '', 'https://data.example/10.5072/a']) {
      assert.equal(doiIn(text), undefined, text);
    }
  });
});
