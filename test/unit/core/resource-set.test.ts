import assert from 'node:assert/strict';
import { entryWeight, prefixWeight, weightGrowth } from '../../../src/core/entry-weight.ts';
import { digestProblem, isHashAlgorithm } from '../../../src/core/hash.ts';
import { PATCH_RELATION, parseRelation } from '../../../src/core/link-relations.ts';
import { isMediaType } from '../../../src/core/media-type.ts';
import { type Origin, traitsOf } from '../../../src/core/origin.ts';
import {
  isPublished,
  leastPrefixWeight,
  MAX_ENTRIES_WEIGHT,
  pageWeight,
  parseSlug,
  type ResourceSet,
  slugify,
} from '../../../src/core/resource-set.ts';
import { fromStoredSet, toStoredSet } from '../../../src/core/stored-set.ts';
import { nearestName } from '../../../src/lib/nearest-name.ts';

describe('The id of a set', () => {
  it('has up to 64 lower-case letters, digits and signs', () => {
    const good = ['a', '0', 'a.b', 'a_b-c', 'a'.repeat(64), 'a-.-b'];
    for (const slug of good) assert.equal(parseSlug(slug), slug);
    const bad = ['', '-', '-a', 'a-', '.a', 'a.', 'a..b', 'A', 'é', 'a b', 'a/b', 'a'.repeat(65), 'a\n'];
    for (const slug of bad) {
      assert.throws(() => parseSlug(slug), { code: 'invalid', details: { field: 'set' } }, slug);
    }
  });

  it('is suggested by the name of a folder', () => {
    const NAMES: readonly (readonly [name: string, slug: string])[] = [
      ['Maps', 'maps'],
      ['Karten & Pläne', 'karten-plane'],
      ['--a--', 'a'],
      ['ﬁle', 'file'],
      ['地図', 'files'],
      ['', 'files'],
      [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
      ['b'.repeat(70), 'b'.repeat(64)],
    ];
    for (const [name, slug] of NAMES) assert.equal(slugify(name), slug);
  });
});

const LATER_KIND = { kind: 'later', place: 'anywhere' } as unknown as Origin;

describe('A set', () => {
  const set = (fields: Partial<ResourceSet> = {}) => {
    return { epoch: 1, urlPrefix: 'http://example.org/', ready: true, ...fields } as ResourceSet;
  };

  it('has pages of less weight when its prefix has become longer', () => {
    assert.equal(leastPrefixWeight(set()), 19);
    assert.equal(leastPrefixWeight(set(), 'http://a.org/'), 13);
    assert.equal(leastPrefixWeight(set({ leastPrefixWeight: 15 })), 15);
    assert.equal(leastPrefixWeight(set({ leastPrefixWeight: 25 })), 19);
    assert.equal(leastPrefixWeight(set({ epoch: 2 })), 9, 'it may have been moved by an earlier version');
    assert.equal(pageWeight(set()), MAX_ENTRIES_WEIGHT);
    assert.equal(pageWeight(set({ leastPrefixWeight: 10 })), Math.floor((MAX_ENTRIES_WEIGHT * 50) / 59));
  });

  it('is published when it is ready, or was before it was moved', () => {
    assert.equal(isPublished(set()), true);
    assert.equal(isPublished(set({ ready: false })), false);
    assert.equal(isPublished(set({ ready: false, moving: { ready: true } })), true);
    assert.equal(isPublished(set({ ready: false, moving: { ready: false } })), false);
  });

  it('names where it comes from', () => {
    assert.equal(traitsOf({ kind: 'posted' }).source, undefined);
    assert.equal(traitsOf({ kind: 'folder', path: '/data' }).source, '/data');
    assert.equal(traitsOf({ kind: 's3', location: 's3://bucket/maps/' }).source, 's3://bucket/maps/');
    assert.equal(traitsOf({ kind: 'artifact', provider: 'cdl', activity: 'harvest' }).source, 'cdl/harvest');
  });

  it('is stored with the location of its files, the source of its records, or its origin as it is', () => {
    const stored = (origin: Origin) => JSON.parse(JSON.stringify(toStoredSet(set({ origin }))));
    const records = { provider: 'cdl', activity: 'harvest' };
    const cases: readonly (readonly [Origin, object])[] = [
      [{ kind: 'posted' }, {}],
      [{ kind: 'folder', path: '/data' }, { root: '/data' }],
      [{ kind: 's3', location: 's3://bucket/maps/' }, { root: 's3://bucket/maps/' }],
      [{ kind: 'artifact', ...records }, { records }],
      // Of a kind that has no fields of its own.
      [LATER_KIND, { origin: LATER_KIND }],
    ];
    for (const [origin, fields] of cases) {
      const { origin: _, ...rest } = set();
      assert.deepEqual(stored(origin), { ...rest, ...fields });
      assert.deepEqual(fromStoredSet(stored(origin)), set({ origin }));
    }
  });
});

describe('The weight of an entry', () => {
  it('counts what is escaped in XML', () => {
    const empty = entryWeight('http://a.org/', '/b', undefined);
    assert.equal(entryWeight('http://a.org/', '/bc', undefined), empty + 1);
    assert.equal(entryWeight('http://a.org/', '/b&', undefined), empty + 5);
    assert.equal(entryWeight('http://a.org/', '/b&&', undefined), empty + 10);
    assert.equal(entryWeight('http://a.org/&', '/b', undefined), empty + 5);
    assert.equal(entryWeight('http://a.org/', '/b', { mime: 'a/b;c="d"' }), empty + 19);
    assert.equal(entryWeight('http://a.org/', '/b', { mime: '""' }), empty + 12);
    assert.equal(entryWeight('http://a.org/', '/b', { mime: '&' }), empty + 5);
    assert.equal(entryWeight('http://a.org/', 'http://a.org/b', undefined), empty);
    assert.equal(prefixWeight('http://a.org/?&'), 19);
  });

  it('counts its links', () => {
    const empty = entryWeight('http://a.org/', '/b', {});
    const link = { rel: 'up', href: '/c' };
    const one = entryWeight('http://a.org/', '/b', { links: [link] });
    assert.equal(one, empty + 40 + 2 + 14);
    assert.equal(entryWeight('http://a.org/', '/b', { links: [link, { ...link, mime: 'a/b' }] }), one + 59);
  });

  it('grows with the prefix', () => {
    assert.equal(weightGrowth(10, 10), 1);
    assert.equal(weightGrowth(10, 5), 1);
    assert.equal(weightGrowth(10, 60), 2);
  });
});

describe('A hash', () => {
  it('is of a known algorithm, with as many digits as that has', () => {
    assert.deepEqual(['md5', 'sha-1', 'sha-256', 'sha-512', 'toString'].map(isHashAlgorithm), [
      true,
      true,
      true,
      false,
      false,
    ]);
    assert.equal(digestProblem('md5', 'aF0'.padEnd(32, '9')), undefined);
    assert.equal(digestProblem('sha-1', 'a'.repeat(40)), undefined);
    for (const digest of ['', 'a'.repeat(31), 'a'.repeat(33), `${'a'.repeat(31)}g`, `g${'a'.repeat(31)}`]) {
      assert.equal(digestProblem('md5', digest), 'a md5 digest has 32 hexadecimal digits');
    }
  });
});

describe('The relation of a link', () => {
  it('is a registered name in any case, or an absolute URI', () => {
    assert.equal(parseRelation('describedby'), 'describedby');
    assert.equal(parseRelation('DescribedBy'), 'describedby');
    assert.equal(parseRelation('Described By'), 'describedby');
    assert.equal(parseRelation('http://a.org/rel#X'), 'http://a.org/rel#X');
    assert.equal(parseRelation('HTTP://A.org/Rel'), 'HTTP://A.org/Rel');
    assert.equal(parseRelation('HTTP://WWW.OpenArchives.org/RS/terms/Patch'), PATCH_RELATION);
    assert.equal(parseRelation(`urn:${'a'.repeat(2_044)}`), `urn:${'a'.repeat(2_044)}`);
    for (const text of [
      '',
      'unheard-of',
      'urn:',
      '1a:b',
      ':b',
      'a:b c',
      'a:"',
      'xa b:c',
      'a:<',
      'a:{}',
      `urn:${'a'.repeat(2_045)}`,
    ]) {
      assert.equal(parseRelation(text), undefined, text);
    }
  });
});

describe('A media type', () => {
  it('has a type, a subtype and perhaps parameters', () => {
    for (const text of ['a/b', 'text/html; charset=utf-8', 'a/b ;c="d e";f=g', 'a/b;c=""', `a/${'b'.repeat(127)}`]) {
      assert.ok(isMediaType(text), text);
    }
    assert.ok(isMediaType(`a/b;c=${'d'.repeat(506)}`));
    for (const text of [
      '',
      'a',
      'a/',
      '/b',
      'a/b;',
      'a/b;c',
      'a/b;c=',
      'a/b;c="<"',
      'a/b;c="',
      '-/b',
      ' a/b',
      'a/b ',
      `a/${'b'.repeat(128)}`,
      `a/b;c=${'d'.repeat(507)}`,
    ]) {
      assert.equal(isMediaType(text), false, text);
    }
  });
});

describe('The name that was probably meant', () => {
  const KNOWN = ['limit', 'after', 'from', 'to', 'toast'];

  it('is the one that is most like what was written', () => {
    for (const [name, meant] of [
      ['limti', 'limit'],
      ['LIMIT', 'limit'],
      ['limi', 'limit'],
      ['limits', 'limit'],
      ['form', 'from'],
      ['t', 'to'],
      ['toas', 'toast'],
    ] as const) {
      assert.equal(nearestName(name, KNOWN), meant);
    }
    assert.equal(nearestName('FROM', ['From']), 'From');
    assert.equal(nearestName('abcd', ['abcx', 'abcy']), 'abcx', 'the first of two');
  });

  it('is none when nothing is like it', () => {
    for (const name of ['unheard-of', 'xyz', 'tx9', 'l'.repeat(41)]) assert.equal(nearestName(name, KNOWN), undefined);
    assert.equal(nearestName('a'.repeat(41), ['a'.repeat(41)]), undefined, 'too long to be compared');
    assert.equal(nearestName('a'.repeat(40), ['a'.repeat(40)]), 'a'.repeat(40));
    assert.equal(nearestName('abc', ['ade']), undefined, 'two letters are too many for a short name');
    assert.equal(nearestName('abcd', ['abxy']), 'abxy');
    assert.equal(nearestName('abcde', ['abxyz']), undefined);
  });
});
