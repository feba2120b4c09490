import assert from 'node:assert/strict';
import { escapeXml, unescapeXml } from '../../../src/lib/escape-xml.ts';
import { parseName, partName } from '../../../src/publish/pages/document-name.ts';
import { RenderedEntries } from '../../../src/publish/render/documents/rendered-entries.ts';
import { renderSourceDescriptionIndex } from '../../../src/publish/render/documents/source-description-index.ts';

const PREFIX = 'http://example.org/a&b/';

function documentOf(keys: readonly string[]): Buffer {
  const entries = keys.map((key) => {
    const uri = key.startsWith('/') ? PREFIX + key.slice(1) : key;
    return `<url><loc>${escapeXml(uri)}</loc><lastmod>x</lastmod></url>\n`;
  });
  return Buffer.from(`<urlset>\n<rs:md/>\n${entries.join('')}</urlset>\n`);
}

describe('The entries of a document that is written', () => {
  const KEYS = ['/a', '/a&b', '/b', '/c/d', '/c/e', 'http://example.com/x'];

  it('are found by their key, as they are written', () => {
    for (let count = 1; count <= KEYS.length; count++) {
      const document = documentOf(KEYS.slice(0, count));
      const entries = new RenderedEntries(document);
      const found = KEYS.slice(0, count).map((key) => {
        const { from, to } = entries.find(key, PREFIX);
        return document.toString('utf8', from, to);
      });
      assert.deepEqual(found.join(''), document.toString('utf8', entries.place.from, entries.place.to));
      assert.ok(found.every((line) => line.startsWith('<url><loc>') && line.endsWith('</url>\n')));
    }
  });

  it('have a place for a key that is not there, in the order of the keys', () => {
    const document = documentOf(['/b', '/d']);
    const entries = new RenderedEntries(document);
    const second = document.lastIndexOf('<url><loc>');
    const { from, to } = entries.place;
    assert.deepEqual(entries.find('/a', PREFIX), { from, to: from });
    assert.deepEqual(entries.find('/c', PREFIX), { from: second, to: second });
    assert.deepEqual(entries.find('/e', PREFIX), { from: to, to });
  });

  it('may be none', () => {
    const document = documentOf([]);
    const entries = new RenderedEntries(document);
    const end = document.indexOf('</urlset>');
    assert.deepEqual(entries.place, { from: end, to: end });
    assert.deepEqual(entries.find('/a', PREFIX), { from: end, to: end });
  });

  it('are not read of a document that is cut off', () => {
    for (const cut of [1, 5, 10, 60]) {
      assert.throws(() => new RenderedEntries(documentOf(['/a']).subarray(0, -cut)), /not whole/);
    }
    assert.throws(() => new RenderedEntries(Buffer.from('x')), /not whole/);
    assert.deepEqual(new RenderedEntries(Buffer.from('</urlset>\n')).place, { from: 0, to: 0 });
  });

  it('have texts that are read as they were written', () => {
    for (const text of ['a&b', '"<>"', '&amp;', 'a\tb\nc\rd', '&x;', 'plain'])
      assert.equal(unescapeXml(escapeXml(text)), text);
    assert.equal(unescapeXml('a&unknown;b&amp;&quot;'), 'a&unknown;b&"');
    assert.equal(escapeXml('\0\ud800'), '\ufffd\ufffd');
  });
});

describe('The name of a page', () => {
  it('has its epoch and its number', () => {
    assert.equal(partName(2, 7), '2-00000007');
    assert.equal(parseName('2-00000007', 2), 7);
    assert.equal(parseName('12-123456789', 12), 123_456_789);
  });

  it('of an earlier epoch is "gone", and every other text is not a name', () => {
    assert.throws(() => parseName('1-00000007', 2), { code: 'gone' });
    const names = ['', '3-00000007', '2-7', '2-0000007', '02-00000007', '2-000000007', 'x2-00000007', '2-00000007x'];
    for (const name of [...names, '10000000000-00000001']) {
      assert.throws(() => parseName(name, 2), { code: 'not-found' }, name);
    }
  });
});

describe('An index of Source Descriptions', () => {
  it('lists each of them', () => {
    const index = renderSourceDescriptionIndex({
      describedBy: 'http://a.org/about',
      parts: ['http://a.org/1', 'http://a.org/2?a&b'],
    });
    assert.match(index, /<sitemapindex .*<rs:ln rel="describedby" href="http:\/\/a\.org\/about"/s);
    assert.match(index, /<rs:md capability="description"\/>/);
    const locations = [...index.matchAll(/<sitemap><loc>(.*)<\/loc><\/sitemap>\n/g)].map(([, location]) => location);
    assert.deepEqual(locations, ['http://a.org/1', 'http://a.org/2?a&amp;b']);
    assert.ok(index.endsWith('</sitemapindex>\n'));
  });
});
