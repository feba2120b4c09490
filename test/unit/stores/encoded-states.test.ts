import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HASH_ALGORITHMS, type Hashes } from '../../../src/core/hash.ts';
import { decodeState, encodeState, type ResourceState } from '../../../src/core/resource.ts';
import { stateFields, toState } from '../../../src/stores/elasticsearch/resource-documents.ts';

const text = fc.oneof(
  fc.constantFrom('text/html', 'a "quoted" word', 'a\\b', 'tab\there', '\u007f', 'é', '\ud800', '\u{1f30a}', ''),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
// Keys are printable ASCII.
const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });
const href = fc.oneof(
  ascii,
  ascii.map((path) => `/${path}`),
  fc.constantFrom('/a/b.xml', '/a%2Fb', '/%ff', '/a?b', 'https://example.org/a'),
);
const digest = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 1, maxLength: 64 });
const anyHashes = fc.record({ 'sha-1': digest, md5: digest, 'sha-256': digest }, { requiredKeys: [] });
const link = fc.record(
  {
    hashes: anyHashes.filter((hashes) => Object.keys(hashes).length > 0),
    length: fc.maxSafeNat(),
    modified: fc.integer({ min: 0, max: 4_102_444_800 }),
    pri: fc.integer({ min: 1, max: 999_999 }),
    mime: text,
    href,
    rel: text,
  },
  { requiredKeys: ['href', 'rel'] },
);
const fields = fc.record(
  {
    links: fc.array(link, { maxLength: 3 }),
    hashes: anyHashes,
    mime: text,
    length: fc.maxSafeNat(),
    lastmod: fc.integer({ min: 0, max: 4_102_444_800 }),
  },
  { requiredKeys: [] },
);
/** A record has a place in an artifact, a file may have one in a pack. */
const place = fc.oneof(
  fc.constant({}),
  fc.record({ record: fc.record({ position: fc.nat(), artifact: text, length: fc.nat(), offset: fc.nat() }) }),
  fc.record({ kept: fc.record({ offset: fc.nat(), pack: text }) }),
);
const state: fc.Arbitrary<ResourceState> = fc.tuple(fields, place).map(([fields, place]) => ({ ...fields, ...place }));

describe('A state as text', () => {
  it('has no hashes and no links when there are none', () => {
    assert.equal(encodeState({ hashes: {}, links: [], length: 1 }), '{"length":1}');
    assert.equal(encodeState({}), '{}');
  });

  it('is what JSON.stringify writes, of fields in one order', () => {
    fc.assert(
      fc.property(state, (given) => {
        assert.equal(encodeState(given), byJsonStringify(given));
      }),
    );
  });

  it('is the same after it was read again', () => {
    fc.assert(
      fc.property(state, (given) => {
        const encoded = encodeState(given);
        assert.equal(encodeState(decodeState(encoded)), encoded);
      }),
    );
  });

  it('is the same after it was a document of Elasticsearch', () => {
    fc.assert(
      fc.property(state, href, (given, key) => {
        const document = JSON.parse(`{${stateFields(key, given)}}`);
        assert.equal(encodeState(toState(document)), encodeState(given));
      }),
    );
  });
});

/** The order of fields is written down here once more. */
function byJsonStringify({ lastmod, length, mime, hashes, links, record, kept }: ResourceState): string {
  return JSON.stringify({
    lastmod,
    length,
    mime,
    hashes: hashes && inOrder(hashes),
    links: links?.length
      ? links.map(({ rel, href, mime, pri, modified, length, hashes }) => {
          return { rel, href, mime, pri, modified, length, hashes: hashes && inOrder(hashes) };
        })
      : undefined,
    record: record && {
      artifact: record.artifact,
      offset: record.offset,
      length: record.length,
      position: record.position,
    },
    kept: kept && { pack: kept.pack, offset: kept.offset },
  });
}

function inOrder(hashes: Hashes): Hashes | undefined {
  const known = HASH_ALGORITHMS.filter((algorithm) => hashes[algorithm] !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known.map((algorithm) => [algorithm, hashes[algorithm]]));
}
