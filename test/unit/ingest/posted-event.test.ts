import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../../src/core/change.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { isRejection, parsePostedEvent } from '../../../src/ingest/posted-event.ts';
import type { Rejection } from '../../../src/ingest/rejection.ts';

const NOW = Date.UTC(2026, 5, 1);
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const SET: ResourceSet = {
  origin: { kind: 'posted' },
  id: 7,
  slug: 'papers',
  epoch: 1,
  epochStart: 1,
  urlPrefix: 'https://data.example.org/papers/',
  resourceRootDir: '/srv/papers',
  exclude: [],
  pageEntries: 100,
  windowChanges: 100,
  publishHashes: [],
  ready: true,
};

const LOCATION = { value: 'a.pdf', type: 'rel_path' };
const PATCH = 'http://www.openarchives.org/rs/terms/patch';
const created = (fields: object = {}): object => ({ location: LOCATION, change: 'created', ...fields });
const at = (value: string, type = 'rel_path'): object => created({ location: { value, type } });
const link = (fields: object): object => created({ ln: [{ rel: 'describedby', href: LOCATION, ...fields }] });

const ELSEWHERE = { value: 'https://mirror.example.org/a.pdf', type: 'url' };
const twice = (rel: string): object =>
  created({
    ln: [
      { rel, href: ELSEWHERE },
      { rel, href: { value: 'b', type: 'rel_path' } },
    ],
  });
const duplicate = (fields: object): object =>
  created({ length: 5, md5: MD5, mime: 'text/html', ln: [{ rel: 'duplicate', href: ELSEWHERE, ...fields }] });

describe('A posted event', () => {
  it('is the complete state of a resource', () => {
    const event = parsed({
      location: LOCATION,
      change: 'updated',
      length: 12,
      md5: MD5.toUpperCase(),
      hash: `sha-256:${SHA256} md5:${MD5}`,
      mime: 'text/html; charset="utf-8"',
      lastmod: '2017-02-03T12:25:00+0000',
      ln: [{ rel: 'DescribedBy', href: { value: '/srv/papers/a b.xml', type: 'abs_path' }, mime: 'application/xml' }],
      source: 'harvester',
      position: 3,
      order: 4,
      resource_set: 'papers',
      timestamp: '2017-02-03T12:25:00+0000',
      datetime: '2017-02-03T12:25:00+0000',
    });

    const { weight, ...sent } = event;
    assert.ok(weight > 0);
    assert.deepEqual(sent, {
      set: 7,
      key: '/a.pdf',
      state: {
        lastmod: Date.UTC(2017, 1, 3, 12, 25) / 1000,
        length: 12,
        hashes: { md5: MD5, 'sha-256': SHA256 },
        mime: 'text/html; charset="utf-8"',
        links: [{ rel: 'describedby', href: '/a%20b.xml', mime: 'application/xml' }],
      },
      urlPrefix: SET.urlPrefix,
      source: 'harvester',
      position: 3,
      order: 4,
    });
  });

  it('has no field that was not sent', () => {
    const event = parsed(created());
    assert.deepEqual(event.state, {});
    assert.ok(!('source' in event) && !('position' in event) && !('order' in event));
  });

  it('has no state when it reports a deletion', () => {
    assert.equal(parsed(created({ change: 'deleted', lastmod: '2017-02-03T12:25:00Z' })).state, undefined);
  });

  it('takes several digests in md5 and in hash', () => {
    const expected = { md5: MD5, 'sha-256': SHA256 };
    assert.deepEqual(parsed(created({ md5: [MD5, `sha-256:${SHA256}`] })).state?.hashes, expected);
    assert.deepEqual(parsed(created({ hash: [`md5:${MD5}`, `SHA-256:${SHA256}`] })).state?.hashes, expected);
  });

  it('takes the relation "described by", as the source protocol spells it', () => {
    assert.equal(parsed(link({ rel: 'described by' })).state?.links?.[0]?.rel, 'describedby');
  });

  it('takes a relation that is an absolute URI as it is', () => {
    const rel = 'http://www.openarchives.org/rs/terms/patch';
    assert.equal(parsed(link({ rel, href: ELSEWHERE, mime: 'application/x-diff' })).state?.links?.[0]?.rel, rel);
  });

  it('takes links with all that ResourceSync says of them', () => {
    const about = { mime: 'text/html', pri: 999_999, modified: '2026-01-31T12:00:00Z', length: 7, md5: MD5 };
    const { state } = parsed(created({ ln: [{ rel: 'via', href: ELSEWHERE, ...about }] }));
    assert.deepEqual(state?.links, [
      {
        rel: 'via',
        href: ELSEWHERE.value,
        mime: 'text/html',
        pri: 999_999,
        modified: Date.UTC(2026, 0, 31, 12) / 1000,
        length: 7,
        hashes: { md5: MD5 },
      },
    ]);
  });

  it('leaves out of a duplicate what the resource has itself, and of a timegate everything', () => {
    const same = { length: 5, hash: [`md5:${MD5}`, `sha-256:${SHA256}`], mime: 'text/html; charset=utf-8', pri: 1 };
    const { rel, href } = { rel: 'duplicate', href: ELSEWHERE.value };
    assert.deepEqual(parsed(duplicate(same)).state?.links, [{ rel, href, pri: 1, hashes: { 'sha-256': SHA256 } }]);
    const gate = parsed(link({ rel: 'timegate', href: ELSEWHERE, mime: 'text/html', pri: 1, length: 0 }));
    assert.deepEqual(gate.state?.links, [{ rel: 'timegate', href: ELSEWHERE.value }]);
  });

  it('is rejected with the section of the rule that a link breaks', () => {
    for (const [event, section] of [
      [link({ pri: 0 }), '7'],
      [link({ rel: 'up' }), '6.2'],
      [duplicate({ length: 6 }), '14.2'],
      [twice('canonical'), '14.3'],
      [link({ rel: PATCH }), '14.4'],
      [link({ rel: 'memento' }), '14.6'],
      [link({ rel: 'collection' }), '14.7'],
      [twice('via'), '14.8'],
    ] as const) {
      const { message } = refused(event);
      assert.ok(message.endsWith(`(ResourceSync 1.1, ${section})`), message);
    }
  });

  it('takes a deletion of what is not a URI that clients fetch, and links to any URI', () => {
    assert.equal(parsed({ ...at('urn:isbn:0451450523', 'url'), change: 'deleted' }).key, 'urn:isbn:0451450523');
    const href = { value: 'mailto:someone@example.org', type: 'url' };
    assert.equal(parsed(link({ href })).state?.links?.[0]?.href, href.value);
  });

  it('has one key for one URI, however its path is percent-encoded and its host is written', () => {
    for (const value of ['%7Ea/%C3%A9', '%7ea/%c3%a9', '~%61/é', '~a/e\u0301'.normalize('NFC')]) {
      assert.equal(parsed(at(`HTTPS://Data.Example.org:443/papers/${value}`, 'url')).key, '/~a/%C3%A9', value);
    }
    assert.equal(parsed(at('https://data.example.org/%70apers/a', 'url')).key, '/a');
    assert.equal(parsed(at('https://data.example.org/papers/a%2Fb', 'url')).key, '/a%2Fb');
    const different = ['a', 'a/', 'A', 'a//b', 'a/b', 'a?x=1', 'a?x=%31', 'e\u0301', '\u00e9'];
    const keys = different.map((value) => parsed(at(SET.urlPrefix + value, 'url')).key);
    assert.equal(new Set(keys).size, different.length);
  });

  it('takes a lastmod a day ahead of the clock, and a length up to 2^53 - 1', () => {
    assert.equal(parsed(created({ lastmod: '2026-06-01T23:59:59Z' })).state?.lastmod, NOW / 1000 + 86_399);
    assert.equal(parsed(created({ length: Number.MAX_SAFE_INTEGER })).state?.length, Number.MAX_SAFE_INTEGER);
  });
});

const REFUSED: readonly (readonly [string, unknown, string, string | undefined])[] = [
  ['an array', [], 'not-an-object', undefined],
  ['a text', 'created', 'not-an-object', undefined],
  ['null', null, 'not-an-object', undefined],
  ['no location', { change: 'created' }, 'missing-field', 'location'],
  ['no change', { location: LOCATION }, 'missing-field', 'change'],
  ['a location without a value', { location: { type: 'url' }, change: 'created' }, 'missing-field', 'location.value'],
  ['a location that is a text', created({ location: 'a.pdf' }), 'wrong-type', 'location'],
  ['an unknown location type', at('a.pdf', 'file'), 'unknown-location-type', 'location.type'],
  ['an unknown change', created({ change: 'moved' }), 'unknown-change', 'change'],
  ['a path that climbs out', at('../a.pdf'), 'outside-root', 'location.value'],
  ['a path that climbs out, encoded twice', at('%252e%252e/a.pdf'), 'outside-root', 'location.value'],
  ['a path that climbs out later', at('b/../../a.pdf'), 'outside-root', 'location.value'],
  ['an absolute path as a relative one', at('/etc/passwd'), 'outside-root', 'location.value'],
  ['an absolute path elsewhere', at('/srv/other/a.pdf', 'abs_path'), 'outside-root', 'location.value'],
  ['a path beside the root', at('/srv/papers-2/a.pdf', 'abs_path'), 'outside-root', 'location.value'],
  ['a URL that is none', at('a.pdf', 'url'), 'not-a-uri', 'location.value'],
  ['an URI over 2,048 characters', at('a'.repeat(2048)), 'uri-too-long', 'location.value'],
  ['a control character', at('a\u0007.pdf'), 'not-representable', 'location.value'],
  ['a lone surrogate', at('a\ud800.pdf'), 'not-representable', 'location.value'],
  ['a URI that no client can fetch', at('urn:isbn:0451450523', 'url'), 'not-http', 'location.value'],
  ['an address of mail', at('mailto:someone@example.org', 'url'), 'not-http', 'location.value'],
  ['a URL with a fragment', at('https://example.com/a.html#b', 'url'), 'fragment', 'location.value'],
  ['a URL below the prefix with a fragment', at(`${SET.urlPrefix}a.html#b`, 'url'), 'fragment', 'location.value'],
  ['a link by which documents link to each other', link({ rel: 'Up' }), 'reserved-relation', 'ln[0].rel'],
  ['a link to a Capability List', link({ rel: 'resourcesync' }), 'reserved-relation', 'ln[0].rel'],
  ['a patch without a type', link({ rel: PATCH }), 'patch-without-type', 'ln[0].mime'],
  [
    'a patch without a type, whose relation has capitals',
    link({ rel: 'HTTP://WWW.OpenArchives.org/rs/terms/patch' }),
    'patch-without-type',
    'ln[0].mime',
  ],
  ['a negative length', created({ length: -1 }), 'negative-length', 'length'],
  ['a fractional length', created({ length: 1.5 }), 'fractional-length', 'length'],
  ['a length of 2^53', created({ length: 2 ** 53 }), 'length-too-large', 'length'],
  ['a length above every number', created({ length: Number.POSITIVE_INFINITY }), 'length-too-large', 'length'],
  ['a length that is a text', created({ length: '12' }), 'wrong-type', 'length'],
  ['a length that is null', created({ length: null }), 'wrong-type', 'length'],
  ['an md5 that is too short', created({ md5: 'abc' }), 'bad-hash', 'md5'],
  ['an md5 that is not hex', created({ md5: 'z'.repeat(32) }), 'bad-hash', 'md5'],
  ['a second md5 that is wrong', created({ md5: [MD5, 'abc'] }), 'bad-hash', 'md5[1]'],
  ['a sha-256 of the length of an md5', created({ hash: `sha-256:${MD5}` }), 'bad-hash', 'hash'],
  ['a hash without its algorithm', created({ hash: SHA256 }), 'bad-hash', 'hash'],
  ['an unknown algorithm', created({ hash: `crc32:${MD5}` }), 'unknown-hash-algorithm', 'hash'],
  [
    'an md5 and a hash that contradict',
    created({ md5: MD5, hash: `md5:${'0'.repeat(32)}` }),
    'contradicting-hashes',
    'hash',
  ],
  ['two digests of one algorithm', created({ md5: [MD5, '0'.repeat(32)] }), 'contradicting-hashes', 'md5[1]'],
  ['a date that is none', created({ lastmod: 'yesterday' }), 'bad-datetime', 'lastmod'],
  ['a day that is none', created({ lastmod: '2026-02-30T00:00:00Z' }), 'bad-datetime', 'lastmod'],
  ['a date without a zone', created({ lastmod: '2026-01-31T12:00:00' }), 'datetime-without-zone', 'lastmod'],
  ['a date in the far future', created({ lastmod: '2026-06-02T00:00:01Z' }), 'datetime-in-future', 'lastmod'],
  ['a date that is a number', created({ lastmod: 1_700_000_000 }), 'wrong-type', 'lastmod'],
  ['a mime that is none', created({ mime: 'pdf' }), 'bad-media-type', 'mime'],
  ['a mime with markup', created({ mime: 'text/plain; a="<b>"' }), 'bad-media-type', 'mime'],
  ['a mime with a control character', created({ mime: 'text/plain\n' }), 'not-representable', 'mime'],
  ['a link without rel', created({ ln: [{ href: LOCATION }] }), 'link-without-rel', 'ln[0].rel'],
  ['a link without href', created({ ln: [{ rel: 'self' }] }), 'link-without-href', 'ln[0].href'],
  ['links that are not an array', created({ ln: {} }), 'wrong-type', 'ln'],
  ['a relation of no registry', link({ rel: 'friend-of' }), 'unknown-relation', 'ln[0].rel'],
  ['a relation with a lone surrogate', link({ rel: 'a\udc00' }), 'not-representable', 'ln[0].rel'],
  ['a relation that is a relative URI', link({ rel: '/terms/patch' }), 'unknown-relation', 'ln[0].rel'],
  ['a link out of the root', link({ href: { value: '../b', type: 'rel_path' } }), 'outside-root', 'ln[0].href.value'],
  ['a link of an unknown type', link({ href: { value: 'b', type: 'x' } }), 'unknown-location-type', 'ln[0].href.type'],
  ['a link with a mime that is none', link({ mime: 'x' }), 'bad-media-type', 'ln[0].mime'],
  ['a priority of 0', link({ pri: 0 }), 'bad-priority', 'ln[0].pri'],
  ['a priority of a million', link({ pri: 1_000_000 }), 'bad-priority', 'ln[0].pri'],
  ['a priority that is a text', link({ pri: '1' }), 'bad-priority', 'ln[0].pri'],
  ['a link of a negative length', link({ length: -1 }), 'negative-length', 'ln[0].length'],
  ['a link with a hash that is none', link({ hash: 'md5:x' }), 'bad-hash', 'ln[0].hash'],
  ['a link whose date is none', link({ modified: 'yesterday' }), 'bad-datetime', 'ln[0].modified'],
  ['a duplicate that is the resource itself', link({ rel: 'duplicate' }), 'link-to-itself', 'ln[0].href'],
  ['an alternate that is the resource itself', link({ rel: 'alternate' }), 'link-to-itself', 'ln[0].href'],
  ['a canonical that is the resource itself', link({ rel: 'canonical' }), 'link-to-itself', 'ln[0].href'],
  ['a collection that is the resource itself', link({ rel: 'collection' }), 'link-to-itself', 'ln[0].href'],
  ['a via that is the resource itself', link({ rel: 'via' }), 'link-to-itself', 'ln[0].href'],
  ['a patch that is the resource itself', link({ rel: PATCH, mime: 'a/b' }), 'link-to-itself', 'ln[0].href'],
  ['a memento without its date', link({ rel: 'memento' }), 'memento-without-modified', 'ln[0].modified'],
  ['two canonicals', twice('canonical'), 'repeated-relation', 'ln[1].rel'],
  ['two original sources', twice('via'), 'repeated-relation', 'ln[1].rel'],
  ['two timegates', twice('timegate'), 'repeated-relation', 'ln[1].rel'],
  ['a duplicate of another length', duplicate({ length: 6 }), 'not-a-duplicate', 'ln[0].length'],
  ['a duplicate of other bytes', duplicate({ md5: '0'.repeat(32) }), 'not-a-duplicate', 'ln[0].hash'],
  ['a duplicate of another type', duplicate({ mime: 'text/plain' }), 'not-a-duplicate', 'ln[0].mime'],
  ['more links than fit', created({ ln: Array(1001).fill({ rel: 'self', href: LOCATION }) }), 'too-long', 'ln'],
  ['a negative order', created({ order: -1 }), 'negative-order', 'order'],
  ['a fractional order', created({ order: 0.5 }), 'fractional-order', 'order'],
  ['an order above 2^53', created({ order: 2 ** 60 }), 'order-too-large', 'order'],
  ['a position without source', created({ position: 1 }), 'position-without-source', 'position'],
  ['a negative position', created({ source: 's', position: -1 }), 'negative-position', 'position'],
  ['a fractional position', created({ source: 's', position: 0.5 }), 'fractional-position', 'position'],
  ['a position above 2^53', created({ source: 's', position: 2 ** 60 }), 'position-too-large', 'position'],
  ['a source with a control character', created({ source: 'a\u0000' }), 'not-representable', 'source'],
  ['another set', created({ resource_set: 'maps' }), 'other-set', 'resource_set'],
  ['an unknown field', created({ colour: 'blue' }), 'unknown-field', 'colour'],
  ['a time, which only history that is taken over has', created({ time: 2 }), 'unknown-field', 'time'],
  ['an unknown field of a link', link({ hreff: '' }), 'unknown-field', 'ln[0].hreff'],
  [
    'a field that would be a prototype',
    JSON.parse('{"location":{"value":"a","type":"rel_path"},"change":"created","__proto__":{}}'),
    'unknown-field',
    '__proto__',
  ],
];

describe('A posted event is refused', () => {
  for (const [what, value, code, field] of REFUSED) {
    it(`for ${what}: ${code}`, () => {
      const rejection = refused(value);
      assert.deepEqual([rejection.code, rejection.field], [code, field]);
      assert.ok(rejection.message.length > 10 && rejection.message.isWellFormed());
    });
  }

  it('with the name that was probably meant', () => {
    for (const [wrong, meant] of Object.entries({
      lenght: 'length',
      loc: 'location',
      links: 'ln',
      lastMod: 'lastmod',
    })) {
      assert.match(refused({ change: 'created', [wrong]: 1 }).message, new RegExp(`did you mean "${meant}"\\?`));
    }
    assert.match(refused(link({ hreff: '' })).message, /did you mean "href"\?/);
  });
});

function parsed(value: unknown): ChangeEvent {
  const result = parsePostedEvent(value, { set: SET }, NOW);
  assert.ok(!isRejection(result), JSON.stringify(result));
  return result;
}

function refused(value: unknown): Rejection {
  const result = parsePostedEvent(value, { set: SET }, NOW);
  assert.ok(isRejection(result), `was taken: ${JSON.stringify(result)}`);
  return result;
}
