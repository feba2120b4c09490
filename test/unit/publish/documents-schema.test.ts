import assert from 'node:assert/strict';
import { exampleDocuments } from '../../../scripts/make-examples.ts';
import { itWithXmllint, schemaErrors } from '../../support/xsd.ts';

const SAMPLES = exampleDocuments();
const LIST = SAMPLES.get('https://example.org/sets/maps/resourcelist.xml')!;
const CHANGES = SAMPLES.get('https://example.org/sets/papers/changelist-1-00000001.xml')!;
const INDEX = SAMPLES.get('https://example.org/sets/papers/changelist.xml')!;

const ENTRY = /<url>.*<\/url>\n/;
const MD = /<rs:md hash.*?\/>/;

/** What is right although other schemas refuse it. */
const RIGHT: readonly [title: string, document: string, from: string | RegExp, to: string][] = [
  ['rule 21: a list without entries', CHANGES, /<url>.*<\/url>\n/gs, ''],
  ['rule 22: datetime in rs:md', CHANGES, 'datetime="2026-03-01T10:00:00.412306Z"', 'datetime="2026-03-01T10:00:00Z"'],
  ['rule 23: a media type with dots', LIST, 'text/plain', 'application/vnd.example.v2+json'],
  ['rule 23: a media type with parameters', LIST, 'text/plain', 'text/html; charset=utf-8; a=&quot;b c&quot;'],
  ['changefreq and priority', LIST, '</lastmod>', '</lastmod><changefreq>daily</changefreq><priority>0.5</priority>'],
  [
    'a link with pri and modified',
    LIST,
    MD,
    '<rs:ln rel="duplicate" href="https://a.example/" pri="1" modified="2026-03-01T10:00:00Z"/>',
  ],
  ['an entry of a package', LIST, ' length=', ' path="/a/b.txt" encoding="gzip" length='],
  ['several hashes', LIST, / hash="/, ` hash="md5:${'a'.repeat(32)} `],
];

/** What must not pass. */
const WRONG: readonly [title: string, document: string, from: string | RegExp, to: string][] = [
  ['no rs:md of the document', LIST, /<rs:md capability.*\/>/, ''],
  ['two rs:md of the document', LIST, /(<rs:md capability.*\/>)/, '$1$1'],
  ['rs:md without capability', LIST, ' capability="resourcelist"', ''],
  ['an unknown capability', LIST, '"resourcelist"', '"resource-list"'],
  ['rs:md after the first entry', LIST, /(<rs:md capability.*\/>\n)(<url>.*<\/url>\n)/, '$2$1'],
  ['rs:md before lastmod', LIST, /(<lastmod>.*<\/lastmod>)(<rs:md.*?\/>)/, '$2$1'],
  ['two rs:md in an entry', LIST, /(<rs:md hash.*?\/>)/, '$1$1'],
  ['an entry without loc', LIST, /<loc>.*?<\/loc>/, ''],
  ['an attribute of url', LIST, '<url>', '<url id="1">'],
  ['a prefixed attribute', LIST, ' length=', ' rs:length='],
  ['an unknown attribute', LIST, ' length=', ' size='],
  ['an element of another namespace', LIST, '</url>', '<x xmlns="urn:x"/></url>'],
  ['a datetime without zone', LIST, /(at="[^"]*)Z"/, '$1"'],
  ['a datetime in another zone', LIST, /(at="[^"]*)Z"/, '$1+01:00"'],
  ['a day that never was', LIST, '2026-03-04T', '2026-02-30T'],
  ['an unknown change', CHANGES, '"created"', '"moved"'],
  ['a negative length', LIST, ' length="', ' length="-'],
  ['a hash that is too short', LIST, / hash="sha-256:./, ' hash="sha-256:'],
  ['a hash in base64', LIST, /sha-256:[0-9a-f]+/, 'md5:1B2M2Y8AsgTpgAmY7PhCfg=='],
  ['a link without rel', LIST, ' rel="up"', ''],
  ['a relation that is neither name nor URI', LIST, '"up"', '"Up There"'],
  ['a relative link', LIST, ' href="https://example.org', ' href="'],
  ['a priority of 0', LIST, ' rel="up"', ' rel="up" pri="0"'],
  ['a priority of a million', LIST, ' rel="up"', ' rel="up" pri="1000000"'],
  ['a loc that is too short', LIST, /<loc>.*?<\/loc>/, '<loc>http://a.de</loc>'],
  ['a loc that is too long', LIST, '<loc>https://', `<loc>https://${'a'.repeat(2048)}`],
  ['a relative loc', LIST, '<loc>https://example.org', '<loc>'],
  ['a loc with a space', LIST, 'north%20sea', 'north sea'],
  ['a media type without subtype', LIST, 'text/plain', 'text'],
  ['a path without slash', LIST, ' length=', ' path="a.txt" length='],
  ['a path that is a directory', LIST, ' length=', ' path="/a/" length='],
  ['a part listed twice', INDEX, '00000002', '00000001'],
  ['a url in an index', INDEX, /<sitemap>.*<\/sitemap>/, '<url><loc>https://example.org/a</loc></url>'],
  ['an unknown changefreq', LIST, '</lastmod>', '</lastmod><changefreq>often</changefreq>'],
];

describe('our schemas', () => {
  for (const [title, document, from, to] of RIGHT) {
    itWithXmllint(`take ${title}`, () => assert.deepEqual(schemaErrors(plant(document, from, to)), []));
  }

  for (const [title, document, from, to] of WRONG) {
    itWithXmllint(`refuse ${title}`, () => assert.notDeepEqual(schemaErrors(plant(document, from, to)), []));
  }

  itWithXmllint('take 50,000 entries and no more @long', () => {
    const [entry] = ENTRY.exec(LIST)!;
    const filled = (count: number) => LIST.replace(/<url>.*<\/url>\n/s, () => entry.repeat(count));
    assert.deepEqual(schemaErrors(filled(50_000)), []);
    assert.notDeepEqual(schemaErrors(filled(50_001)), []);
  });
});

function plant(document: string, from: string | RegExp, to: string): string {
  const planted = document.replace(from, to);
  assert.notEqual(planted, document, 'the document was not changed');
  return planted;
}
