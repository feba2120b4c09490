import assert from 'node:assert/strict';
import type { ResourceState } from '../../../src/core/resource.ts';
import { SetLinks } from '../../../src/core/set-links.ts';

const PREFIX = 'https://data.example.org/maps/';
const STATES: Readonly<Record<string, ResourceState>> = {
  '/2026/a%20b.tif': { mime: 'image/tiff', length: 5 },
  '/2026/a%20b.xml': { mime: 'application/xml' },
  '/2026/c.tif': {},
  '/2026/d.html': {},
  '/2026/d.pdf': { mime: 'application/pdf' },
};
const stateOf = (key: string) => STATES[key];

function linksOf(key: string, ...rules: readonly string[]) {
  return new SetLinks(rules, PREFIX).linksOf(key, STATES[key] ?? {}, { stateOf });
}

describe('links by rules', () => {
  it('lead to resources of the set that there are, with their types, and back', () => {
    const rule = '*.xml describes *.tif';
    assert.deepEqual(linksOf('/2026/a%20b.xml', rule), [
      { rel: 'describes', href: '/2026/a%20b.tif', mime: 'image/tiff' },
    ]);
    assert.deepEqual(linksOf('/2026/a%20b.tif', rule), [
      { rel: 'describedby', href: '/2026/a%20b.xml', mime: 'application/xml' },
    ]);
    assert.deepEqual(linksOf('/2026/c.tif', rule), []);
    assert.deepEqual(linksOf('/2026/d.html', '*.html alternate *.pdf pri=2'), [
      { rel: 'alternate', href: '/2026/d.pdf', mime: 'application/pdf', pri: 2 },
    ]);
    assert.deepEqual(linksOf('/2026/d.pdf', '*.html alternate *.pdf'), []);
  });

  it('lead to addresses that are made of path or stem, below the prefix as keys', () => {
    const key = '/2026/a%20b.tif';
    assert.deepEqual(linksOf(key, 'duplicate https://mirror.example.org/{path} pri=1', 'collection urn:example:all'), [
      { rel: 'duplicate', href: 'https://mirror.example.org/2026/a%20b.tif', pri: 1 },
      { rel: 'collection', href: 'urn:example:all' },
    ]);
    assert.deepEqual(linksOf(key, `*.tif canonical ${PREFIX}{stem}`), [{ rel: 'canonical', href: '/2026/a%20b' }]);
    assert.deepEqual(linksOf('https://elsewhere.example.org/a', 'via https://origin.example.org/{path}'), []);
  });

  it('leave out what would break a rule of ResourceSync, and what is too long', () => {
    const key = '/2026/c.tif';
    assert.deepEqual(
      linksOf(key, `duplicate ${PREFIX}{path}`, '* alternate *', `via https://a.org/${'{path}/'.repeat(250)}`),
      [],
    );
    const vias = linksOf(key, 'via https://one.example.org/{path}', '*.tif via https://two.example.org/{path}');
    assert.deepEqual(
      vias.map(({ href }) => href),
      ['https://one.example.org/2026/c.tif'],
    );
  });

  it('replace those of their relations, and keep others', () => {
    const links = new SetLinks(['collection urn:example:all'], PREFIX);
    const state = { links: ['collection', 'license', 'via'].map((rel) => ({ rel, href: 'https://example.org/' })) };
    const rels = (former?: ReadonlySet<string>) =>
      links.linksOf('/a', state, { stateOf, former }).map(({ rel }) => rel);
    assert.deepEqual(rels(), ['license', 'via', 'collection']);
    assert.deepEqual(rels(new Set(['via'])), ['license', 'collection']);
  });

  it('name all keys that a resource may link to or be linked from', () => {
    const links = new SetLinks(['meta/*.xml describes images/*.tif', '*.tif alternate *.jpg'], PREFIX);
    assert.deepEqual(links.neighboursOf('/images/a.tif'), ['/meta/a.xml', '/images/a.jpg']);
    assert.deepEqual(links.neighboursOf('/images/a.jpg'), ['/images/a.tif']);
    assert.deepEqual(links.neighboursOf('/a.txt'), []);
  });
});
