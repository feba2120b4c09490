import assert from 'node:assert/strict';
import { weightInSet } from '../../../../src/core/entry-weight.ts';
import { decodeState, encodeState } from '../../../../src/core/resource.ts';
import { linksToDescribed } from '../../../../src/records/deliveries/described-links.ts';
import { DigestRow, rowsOf } from '../../../../src/records/digests/digest-row.ts';

const SET = { urlPrefix: 'https://example.org/sets/arxiv/' };
const DOCUMENT = { length: 12, mime: 'application/xml', hashes: { 'sha-256': '0'.repeat(64), md5: '1'.repeat(32) } };

describe('the links of a record to what it describes', () => {
  const linksOf = (...described: readonly string[]) => linksToDescribed(described, SET);

  it('are one for each URI that a list can contain', () => {
    const links = linksOf(
      'http://arxiv.org/abs/cs/1',
      'http://arxiv.org/abs/cs/1',
      'https://example.org/ä',
      'ftp://example.org/a.pdf',
      'http://',
      'https://example.org/a b',
      'https://user:secret@example.org/',
      `https://example.org/${'x'.repeat(2_100)}`,
    );
    assert.deepEqual(links, [
      { rel: 'describes', href: 'http://arxiv.org/abs/cs/1' },
      { rel: 'describes', href: 'https://example.org/%C3%A4' },
      { rel: 'describes', href: 'ftp://example.org/a.pdf' },
    ]);
  });

  it('have the key of a resource of the same set', () => {
    assert.deepEqual(linksOf('https://example.org/sets/arxiv/a'), [{ rel: 'describes', href: '/a' }]);
  });

  it('are in the state, as it is encoded elsewhere, and in its weight', () => {
    const uri = 'https://example.org/"ü"\u{1f5fa}\u2028';
    const text = rowsOf({ offset: 20, length: 100, records: 3 })('/a', 2, DOCUMENT, [uri, 'https://example.org/b']);
    assert.match(text, /^[\x01-\x7e]+$/);
    assert.ok(!text.includes('\n'));
    const row = new DigestRow(text);
    assert.deepEqual(row.described, [uri, 'https://example.org/b']);
    const links = linksOf('https://example.org/b');
    const state = row.stateAt('_streams/a', 7, links);
    const record = { artifact: '_streams/a', offset: 20, length: 100, position: 2 };
    assert.equal(state, encodeState({ lastmod: 7, ...DOCUMENT, links, record }));
    const [bare, linked] = [[], links].map((links) => weightInSet(SET, '/a', { ...DOCUMENT, links }));
    assert.ok(linked! > bare!);
  });

  it('do not make another record of one that an earlier version stored without them', () => {
    const rowOf = rowsOf({ offset: 20, length: 100, records: 3 });
    const [without, row] = [[], ['https://example.org/b']].map((uris) => new DigestRow(rowOf('/a', 2, DOCUMENT, uris)));
    const links = linksOf('https://example.org/b');
    for (const state of [without!.stateAt('_streams/a', 7), row!.stateAt('_streams/b', 8, links)]) {
      assert.ok(row!.isDescribedBy(state));
      assert.ok(without!.isDescribedBy(state));
    }
    const other = encodeState({ ...decodeState(row!.stateAt('_streams/b', 8, links)), length: 13 });
    assert.ok(!row!.isDescribedBy(other));
  });
});
