import assert from 'node:assert/strict';
import { parseLinks } from '../../../../src/datasets/landing/link-header.ts';
import { signpostsInHeader } from '../../../../src/datasets/landing/signposts.ts';

const PAGE = 'https://data.example/dataset/1?v=2';

describe('the header Link of a landing page', () => {
  it('is read as FAIR Signposting writes it: relations, types, relative targets (D22, d18)', () => {
    const header = [
      '<https://doi.org/10.5072/a,b>; rel="cite-as"',
      '</files/1.csv> ;rel=item; type="Text/CSV"',
      '<linkset.json>;type="application/linkset+json";rel="describedby LINKSET";rel="author"',
    ].join(', ');
    assert.deepEqual(signpostsInHeader(header, PAGE), [
      { rel: 'cite-as', href: 'https://doi.org/10.5072/a,b', from: 'header' },
      { rel: 'item', href: 'https://data.example/files/1.csv', type: 'text/csv', from: 'header' },
      ...['describedby', 'linkset'].map((rel) => ({
        rel,
        href: 'https://data.example/dataset/linkset.json',
        type: 'application/linkset+json',
        from: 'header',
      })),
    ]);
  });

  it('leaves out links of other resources, and those that do not lead to the web', () => {
    const header = `<a>; rel=item; anchor="/other", <b>; rel=item; anchor="${PAGE}#top", <file:///etc/passwd>; rel=item,
      <javascript:alert(1)>; rel=item, <http://[>; rel=item, <c>; title=item`;
    assert.deepEqual(
      signpostsInHeader(header, PAGE).map(({ href }) => href),
      ['https://data.example/dataset/b'],
    );
  });

  it('survives any text, in time', () => {
    const quoted = parseLinks('<a>; title="x, <b>; rel=\\"item\\""; rel=license', 10);
    assert.deepEqual(quoted, [{ href: 'a', rels: ['license'], title: 'x, <b>; rel="item"' }]);
    assert.deepEqual(parseLinks('no link, <unclosed, <b> ; rel = item', 10), [{ href: 'b', rels: ['item'] }]);
    const begun = performance.now();
    for (const text of ['<', '<a>;', '<a>;b="', '<a>;b=c', ',', ';', '"', '<a', '\\"', '<a>;rel="\\']) {
      parseLinks(text.repeat(200_000), 1_000);
    }
    assert.equal(parseLinks(`<a>; title="${'x'.repeat(12_000_000)}"`, 1)[0]!.title?.length, 12_000_000);
    assert.ok(performance.now() - begun < 5_000);
  });

  it('stops at a number of links', () => {
    assert.equal(parseLinks('<a>;rel=item,'.repeat(20), 7).length, 7);
  });
});
