import assert from 'node:assert/strict';
import type { Entry } from '../../../src/client/read/document.ts';
import { DocumentParser } from '../../../src/client/read/document-parser.ts';
import { pick, type Random, randomOf } from '../../support/marc-records.ts';

const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"';
const BEGIN = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACES}>\n`;
const MD = '<rs:md capability="resourcelist" at="2026-01-01T00:00:00Z"/>';

/** Parts of an entry in forms that most sources write, that few write, and that are not XML. */
const PARTS = [
  ...['<loc>http://example.org/a</loc>', '<loc>http://example.org/?a=1&amp;b=2</loc>', '<loc/>', '<loc>a\nb</loc>'],
  ...['<loc>a</loc><loc>b</loc>', '<loc>http://example.org/\u{1f5fa}/ü</loc>', '<loc><![CDATA[<a>]]></loc>', ''],
  ...['<lastmod>2026-01-01</lastmod>', '<lastmod >2026-01-01</lastmod >', '<changefreq>daily</changefreq>'],
  ...['<priority>0.5</priority>', '<!-- <url><loc>x</loc></url> -->', '<rs:md/>', '<rs:md hash="md5:0" length="1"/>'],
  ...[
    `<rs:md hash='md5:1' length="2" />`,
    '<rs:md path="/a&#x62;" type="text/plain" />',
    '<rs:ln rel="via" href="a>b"/>',
  ],
  ...['<rs:md\n length="1"/>', '<rs:md length="1"></rs:md>', '<rs:ln rel="a" rs:href="b"/>', '<rs:other a="1"/>'],
  ...['<rs:md xmlns="http://example.org/"/>', '<x:md xmlns:x="http://www.openarchives.org/rs/terms/" length="3"/>'],
  ...[
    '<rs:md __proto__="1" constructor="2"/>',
    '<rs:ln rel="a\tb"/>',
    '<rs:md length="1" length="2"/>',
    '<rs:md a=1/>',
  ],
  ...[
    '<loc>]]></loc>',
    '<loc>\u0001</loc>',
    '<loc>\ufffe</loc>',
    '<loc>a',
    '&unknown;',
    '<unknown:a/>',
    '\r\n',
    '\n  ',
  ],
];
/** In the order of the usual form. */
const USUAL = [
  ...['<loc>http://example.org/b</loc>', '<lastmod>2026-02-02T00:00:00Z</lastmod>'],
  ...['<rs:md hash="sha-256:00" length="5" type="text/plain"/>', '<rs:ln rel="via" href="c"/>'],
];
const SEPARATORS = [
  '\n',
  '\n',
  '\n',
  '',
  ' ',
  '\r\n',
  '\n\t',
  '<!-- </url> -->',
  '<rs:ln rel="up" href="d"/>\n',
  'text',
];
const OTHERS = [
  '<sitemap><loc>e</loc></sitemap>',
  '<url/>',
  '<url><loc>f</loc></url >',
  '<url a="1"><loc>g</loc></url>',
];

describe('a parser of documents', () => {
  it('reads entries of the usual form as the XML parser does @long', () => {
    const random = randomOf(17);
    let failed = 0;
    for (let count = 0; count < 5_000; count++) {
      const document = randomDocument(random);
      const most = pick(random, [1, 7, 40, 1_000]);
      const usual = parse(document, () => 1 + Math.floor(random() * most));
      assert.deepEqual(
        usual,
        parse(withOtherPrefix(document), () => document.length),
        JSON.stringify(document),
      );
      if (usual.failure !== undefined) failed += 1;
    }
    assert.ok(failed > 500 && failed < 4_500, `${failed} of 5,000 were not well-formed`);
  });

  it('reads no rs:md where the prefix means something else', () => {
    const entry = `<url>${USUAL[0]}${USUAL[2]}</url>`;
    const mdsOf = (document: string) => parse(document, () => 100).entries.map(({ md }) => md.length);
    assert.deepEqual(mdsOf(`${BEGIN}${entry}${entry}</urlset>`), ['5', '5']);
    const begin = BEGIN.replace('http://www.openarchives.org/', 'http://example.org/');
    assert.deepEqual(mdsOf(`${begin}${entry}${entry}</urlset>`), [undefined, undefined]);
    const otherSitemaps = BEGIN.replace('http://www.sitemaps.org/', 'http://example.org/');
    assert.deepEqual(mdsOf(`${otherSitemaps}${entry}${entry}</urlset>`), []);
  });
});

function randomDocument(random: Random): string {
  const entries = Array.from({ length: Math.floor(random() * 6) }, () => {
    return randomEntry(random) + pick(random, random() < 0.8 ? ['\n'] : SEPARATORS);
  });
  return `${BEGIN}${MD}\n${entries.join('')}${pick(random, ['</urlset>\n', '</urlset>', '</urlset>', ''])}`;
}

function randomEntry(random: Random): string {
  if (random() < 0.1) return pick(random, OTHERS);
  const parts = USUAL.filter(() => random() < 0.8);
  if (random() < 0.4)
    parts.splice(Math.floor(random() * (parts.length + 1)), random() < 0.5 ? 1 : 0, pick(random, PARTS));
  return `<url>${parts.join(pick(random, ['', '', '\n  ']))}</url>`;
}

/** The same document, but of another prefix: the parser leaves all of its entries to the XML parser. */
const withOtherPrefix = (document: string) =>
  document.replace('xmlns:rs=', 'xmlns:rz=').replaceAll(/(<\/?| )rs:/g, '$1rz:');

/** Parses in pieces. */
function parse(text: string, lengthOf: () => number) {
  const parser = new DocumentParser('http://example.org/list.xml');
  const entries: Entry[] = [];
  let failure: string | undefined;
  try {
    for (let at = 0; at < text.length; ) {
      const end = at + lengthOf();
      entries.push(...parser.write(text.slice(at, end)));
      at = end;
    }
    entries.push(...parser.write(''));
    parser.end();
  } catch (error) {
    failure = (error as Error).message;
  }
  const { requestedAt: _, ...document } = parser.document;
  // The entries of the piece with the fault may be missing.
  return { entries: failure === undefined ? entries : [], failure, document };
}
