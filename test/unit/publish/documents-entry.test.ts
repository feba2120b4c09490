import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fragment } from 'xmlbuilder2';
import { CHANGE_KINDS } from '../../../src/core/change.ts';
import { entryWeight, weightInSet } from '../../../src/core/entry-weight.ts';
import { HASH_ALGORITHMS } from '../../../src/core/hash.ts';
import { uriOf } from '../../../src/core/key.ts';
import type { ResourceState } from '../../../src/core/resource.ts';
import { formatSeconds } from '../../../src/core/w3c-datetime.ts';
import { changeEntries } from '../../../src/publish/render/documents/change-list.ts';
import { urlEntry } from '../../../src/publish/render/documents/entry.ts';
import { RS_NAMESPACE, SITEMAP_NAMESPACE } from '../../../src/publish/render/documents/sitemap.ts';
import { parseDocument, type XmlElement } from '../../support/parse-document.ts';

// Characters that writers of XML get wrong, and pieces that end an element, a comment or a section.
const NASTY = [
  '&',
  '<',
  '>',
  '"',
  "'",
  '\t',
  '\n',
  '\r',
  '\0',
  '\x1f',
  '\x7f',
  '\x85',
  '\u2028',
  '\ud800',
  '\udc00',
  '\ufffe',
  '\uffff',
];
const NASTY_PIECES = [...NASTY, '&amp;', '&#0;', ']]>', '-->', '</url>', '<![CDATA[', '\u{1f30a}', '%', ' ', 'é'];
/** The replacement of white space in the reference below. */
const SET_ASIDE = /[\ue000-\ue002]/g;
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...NASTY_PIECES), fc.string({ unit: 'binary' })), { maxLength: 8 })
  .map((all) => all.join('').replace(SET_ASIDE, ''));

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const hashes = fc.record({ 'sha-256': digits(64), 'sha-1': digits(40), md5: digits(32) }, { requiredKeys: [] });

/** Any state whose texts are of the given kind. */
function states(text: fc.Arbitrary<string>): fc.Arbitrary<ResourceState> {
  const link = fc.record(
    {
      rel: text,
      href: text,
      mime: text,
      pri: fc.integer({ min: 1, max: 999_999 }),
      modified: fc.integer({ min: 0, max: 4_102_444_800 }),
      length: fc.maxSafeNat(),
      hashes,
    },
    { requiredKeys: ['rel', 'href'] },
  );
  return fc.record(
    {
      lastmod: fc.integer({ min: 0, max: 4_102_444_800 }),
      length: fc.maxSafeNat(),
      hashes,
      mime: text,
      links: fc.array(link, { maxLength: 4 }),
    },
    { requiredKeys: [] },
  );
}

describe('an entry', () => {
  it('holds what xmlbuilder2 would write, for any input @long', () => {
    fc.assert(
      fc.property(hostile, hostile, states(hostile), (urlPrefix, key, state) => {
        const text = urlEntry({ key, state, event: '' }, { urlPrefix, publishHashes: HASH_ALGORITHMS });
        assert.deepEqual(read(text), read(reference(urlPrefix, key, state)));
      }),
      { numRuns: 500 },
    );
  });

  it('weighs at most what its weight says', () => {
    // What the checks at the door let through: URIs and names in printable ASCII, of which only & and " are written
    // longer.
    const ascii = fc.string({ unit: fc.constantFrom(...'aZ09-._~!$&\'()*+,;=:@/%?"'), maxLength: 60 });
    const styles = fc.record({ urlPrefix: ascii, publishHashes: fc.subarray([...HASH_ALGORITHMS]) });
    fc.assert(
      fc.property(styles, ascii, states(ascii), fc.constantFrom(...CHANGE_KINDS), (style, key, state, kind) => {
        const change = { set: 1, key, kind, stamp: 1_772_355_600_412_306, state, weight: 0, window: 1 };
        const bytes = Buffer.byteLength(changeEntries([change], style));
        assert.ok(bytes <= entryWeight(style.urlPrefix, key, state), `${bytes} bytes`);
        assert.ok(Buffer.byteLength(urlEntry({ key, state, event: '' }, style)) <= bytes || kind === 'deleted');
      }),
      { numRuns: 1000 },
    );
  });

  it('weighs at most what its weight says, also when all of it is escaped, with links to its versions', () => {
    // As long as a page or a window of such entries is limited by their weight.
    const escaped = fc.string({ unit: fc.constantFrom('&', '"'), minLength: 500, maxLength: 1_000 });
    const links = fc.array(fc.record({ rel: escaped, href: escaped, mime: escaped }), { maxLength: 2 });
    fc.assert(
      fc.property(escaped, escaped, links, (text, mime, all) => {
        const set = { urlPrefix: `https://example.org/${text}/`, keepVersions: true };
        const [key, state, stamp] = [`/${text}`, { mime, links: all }, 1_772_355_600_412_306];
        const style = { ...set, publishHashes: [], versions: { home: set.urlPrefix, since: 0 } };
        const change = { set: 1, key, kind: 'updated', stamp, state, weight: 0, window: 1 } as const;
        const written = changeEntries([change], style);
        assert.match(written, /rel="timemap"/);
        const weight = weightInSet(set, key, state);
        assert.ok(Buffer.byteLength(written) <= weight, `${Buffer.byteLength(written)} bytes, weight ${weight}`);
      }),
      { numRuns: 50 },
    );
  });

  it('weighs more than half of its weight when it is as large as it can be', () => {
    const state = {
      lastmod: 1,
      length: Number.MAX_SAFE_INTEGER,
      mime: 'a/b',
      hashes: Object.fromEntries(HASH_ALGORITHMS.map((name) => [name, 'f'.repeat(64)])),
    };
    const { length: bytes } = urlEntry(
      { key: '/a', state, event: ' change="updated" datetime="2026-03-01T09:00:00.412306Z"' },
      { urlPrefix: 'https://example.org/', publishHashes: HASH_ALGORITHMS },
    );
    const weight = entryWeight('https://example.org/', '/a', state);
    assert.ok(bytes <= weight && bytes > weight / 2, `${bytes} bytes, weight ${weight}`);
  });
});

/** The same entry by the slow way; xmlbuilder2 needs help with what its documentation leaves out. */
function reference(urlPrefix: string, key: string, state: ResourceState): string {
  const url = fragment().ele('url');
  url.ele('loc').txt(xml(uriOf(urlPrefix, key)));
  if (state.lastmod !== undefined) url.ele('lastmod').txt(formatSeconds(state.lastmod));
  const md: Record<string, string> = {};
  const hash = hashList(state.hashes);
  if (hash !== '') md.hash = hash;
  if (state.length !== undefined) md.length = String(state.length);
  if (state.mime !== undefined) md.type = xml(state.mime);
  if (Object.keys(md).length > 0) url.ele('rs:md', md);
  for (const { rel, href, mime, pri, modified, length, hashes: linked } of state.links ?? []) {
    const linkHash = hashList(linked);
    url.ele('rs:ln', {
      rel: xml(rel),
      href: xml(uriOf(urlPrefix, href)),
      ...(pri !== undefined && { pri: String(pri) }),
      ...(modified !== undefined && { modified: formatSeconds(modified) }),
      ...(linkHash !== '' && { hash: linkHash }),
      ...(length !== undefined && { length: String(length) }),
      ...(mime !== undefined && { type: xml(mime) }),
    });
  }
  // It leaves white space in attributes as it is, which every parser then reads as spaces.
  return url.end().replaceAll('\ue000', '&#9;').replaceAll('\ue001', '&#10;').replaceAll('\ue002', '&#13;');
}

function hashList(digests: ResourceState['hashes']): string {
  return HASH_ALGORITHMS.flatMap((name) => (digests?.[name] ? [`${name}:${digests[name]}`] : [])).join(' ');
}

/** Only what XML 1.0 can hold (2.2), with white space set aside, and with no `&` that seems escaped already. */
function xml(text: string): string {
  return Array.from(text.toWellFormed(), (character) => {
    if ('\t\n\r'.includes(character)) return String.fromCharCode(0xe000 + '\t\n\r'.indexOf(character));
    return /[\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(character) ? character : '\ufffd';
  })
    .join('')
    .replaceAll('&', '&amp;');
}

function read(entry: string): XmlElement {
  return parseDocument(
    'entry',
    `<urlset xmlns="${SITEMAP_NAMESPACE}" xmlns:rs="${RS_NAMESPACE}">${entry.trimEnd()}</urlset>`,
  ).root;
}
