import assert from 'node:assert/strict';
import { isTidemarkError } from '../../../src/core/errors.ts';
import {
  keyOfNames,
  keyOfPath,
  keyOfRequestPath,
  keyOfUri,
  type LocationType,
  locationOf,
  mendedUri,
  namesOfKey,
  pathOfKey,
  resolveLocation,
  rightKey,
  strictUri,
  unfetchable,
  uriLengthFault,
  uriOf,
} from '../../../src/core/key.ts';

const PREFIX = 'http://example.org/set/';

describe('The key of a file', () => {
  const PATHS: readonly (readonly [path: string, key: string])[] = [
    ['a/b.xml', '/a/b.xml'],
    ["aZ09-._~!$&'()*+,;=:@", "/aZ09-._~!$&'()*+,;=:@"],
    ["é$&+,;=:@!'()*", "/%C3%A9$&+,;=:@!'()*"],
    ['a b/c d', '/a%20b/c%20d'],
    ['a?b', '/a%3Fb'],
    ['a#b', '/a%23b'],
    ['100%', '/100%25'],
    ['%2F', '/%252F'],
    ['"<>[]\\^`{|}', '/%22%3C%3E%5B%5D%5C%5E%60%7B%7C%7D'],
    ['地図', '/%E5%9C%B0%E5%9B%B3'],
  ];

  it('is its path, percent-encoded, and gives it back', () => {
    for (const [path, key] of PATHS) {
      assert.equal(keyOfPath(path), key);
      assert.equal(pathOfKey(key), path);
      assert.deepEqual(locationOf(key), { value: path, type: 'rel_path' });
    }
  });

  it('is none of a path that no file can have', () => {
    for (const key of ['http://example.org/a', '/', '/a?b=c', '/a%2Fb', '/x/a%2Fb/y', '/a%00', '/%ff', '/a%']) {
      assert.equal(pathOfKey(key), undefined, key);
    }
    assert.deepEqual(locationOf('/a%2Fb'), { value: 'a%2Fb', type: 'rel_path' });
    assert.deepEqual(locationOf('http://a.org/b'), { value: 'http://a.org/b', type: 'url' });
  });

  it('is made of names, too, which may hold slashes', () => {
    assert.equal(keyOfNames(['a/b', 'c d']), '/a%2Fb/c%20d');
    assert.deepEqual(namesOfKey('/a%2Fb/c%20d'), ['a/b', 'c d']);
    for (const key of ['http://example.org/a', '/a?b', '/a/%ff']) assert.equal(namesOfKey(key), undefined, key);
  });

  it('is what the path of a request means, however it is encoded', () => {
    assert.equal(keyOfRequestPath('a/b'), '/a/b');
    assert.equal(keyOfRequestPath('%61/b%2fc%C3%a9'), '/a/b%2Fc%C3%A9');
    assert.equal(keyOfRequestPath('a b'), '/a%20b');
    assert.equal(keyOfRequestPath('a/%ff'), undefined);
  });
});

describe('The URI of a resource', () => {
  it('is its path below the prefix, or itself', () => {
    assert.equal(uriOf(PREFIX, '/a/b'), `${PREFIX}a/b`);
    assert.equal(uriOf(PREFIX, 'urn:x:y'), 'urn:x:y');
  });

  it('has one key, however it is encoded', () => {
    const URIS: readonly (readonly [uri: string, key: string | undefined])[] = [
      [`${PREFIX}a/b`, '/a/b'],
      [`${PREFIX}%61`, '/a'],
      [`${PREFIX}%61?q=%61#f%61`, '/a?q=%61#f%61'],
      [`${PREFIX}?q/%ff`, '/?q/%ff'],
      ['http://example.org/%73et/a%20b', '/a%20b'],
      ['http://example.org/%73et/a\n?b\nc', '/a%0A?b\nc'],
      ['http://example.org/set%2Fa', 'http://example.org/set%2Fa'],
      ['http://example.org/other/a', 'http://example.org/other/a'],
      ['http://example.org/%6Fther/a', 'http://example.org/%6Fther/a'],
      ['http://example.com/%73et/a', 'http://example.com/%73et/a'],
      ['http://example.org/%ff', 'http://example.org/%ff'],
      ['urn:a%20b', 'urn:a%20b'],
      ['urn:http://example.org/%73et/a', 'urn:http://example.org/%73et/a'],
      [`${PREFIX}%ff`, undefined],
    ];
    for (const [uri, key] of URIS) assert.equal(keyOfUri(PREFIX, uri), key, uri);
    assert.equal(keyOfUri('http://example.org/s%65t/', 'http://example.org/set/a'), '/a');
    assert.equal(keyOfUri('http://example.org/s%65t/', 'http://example.org/s%65t/a'), '/a');
    assert.equal(keyOfUri('http://example.org/s%65t/', 'http://example.org/seat/a'), 'http://example.org/seat/a');
  });

  it('below the prefix has a path as its key', () => {
    assert.equal(rightKey(PREFIX, '/a'), '/a');
    assert.equal(rightKey(PREFIX, `${PREFIX}a/`), '/a/');
    assert.equal(rightKey(PREFIX, 'http://example.com/a'), 'http://example.com/a');
    assert.equal(rightKey(PREFIX, `${PREFIX}%ff`), `${PREFIX}%ff`);
  });

  it('has as many characters as sitemaps permit', () => {
    const codeOf = (length: number) => uriLengthFault('http://a/', `/${'x'.repeat(length - 9)}`);
    assert.deepEqual(codeOf(2_049), { code: 'uri-too-long', text: '2049 characters; at most 2048' });
    assert.deepEqual(codeOf(11), { code: 'uri-too-short', text: '11 characters; at least 12' });
    for (const length of [12, 2_048]) assert.equal(codeOf(length), undefined);
  });

  it('cannot be fetched with a fragment, or when it is not of the web', () => {
    assert.equal(unfetchable('/a'), undefined);
    assert.equal(unfetchable('http://a.org/b'), undefined);
    assert.equal(unfetchable('https://a.org/b'), undefined);
    assert.equal(unfetchable('urn:http://a'), 'not-http');
    assert.equal(unfetchable('httpx://a'), 'not-http');
    assert.equal(unfetchable('/a#b'), 'fragment');
    assert.equal(unfetchable('urn:a#b'), 'fragment');
  });

  it('is encoded where the parser of URLs leaves what RFC 3986 forbids', () => {
    const URIS: readonly (readonly [href: string, strict: string])[] = [
      ['http://a.org/b?c=d', 'http://a.org/b?c=d'],
      ['http://[::1]/a', 'http://[::1]/a'],
      ['http://[::1]/a[b]?c[d]', 'http://[::1]/a%5Bb%5D?c%5Bd%5D'],
      ['http://a.org/b#c#d', 'http://a.org/b#c%23d'],
      ['http://a.org/b#', 'http://a.org/b#'],
      ['http://a.org?b|c', 'http://a.org?b%7Cc'],
      ['http://a.org/100%', 'http://a.org/100%25'],
      ['http://a.org/%zz%4g%41', 'http://a.org/%25zz%254g%41'],
      ['urn:a b', 'urn:a%20b'],
      ['urn:a:"<>\\^`{}', 'urn:a:%22%3C%3E%5C%5E%60%7B%7D'],
      ['urn:a#\n|', 'urn:a#\n%7C'],
    ];
    for (const [href, strict] of URIS) assert.equal(strictUri(href), strict);
  });
});

describe('A location', () => {
  const BASE = { urlPrefix: PREFIX, resourceRootDir: '/data/root' };
  const resolved = (value: string, type: LocationType, base: object = {}) => {
    try {
      return resolveLocation({ value, type }, { ...BASE, ...base }, 'resource.value');
    } catch (error) {
      assert.ok(isTidemarkError(error, 'invalid'));
      assert.equal(error.details.field, 'resource.value');
      return String(error.details.code);
    }
  };
  type Case = readonly [value: string, expected: string];

  it('of each type gives the same key', () => {
    assert.equal(resolved('a/b c', 'rel_path'), '/a/b%20c');
    assert.equal(resolved('/data/root/a/b c', 'abs_path'), '/a/b%20c');
    assert.equal(resolved('/data/root/a/b c', 'abs_path', { resourceRootDir: '/data/root/' }), '/a/b%20c');
    assert.equal(resolved(`${PREFIX}a/b%20c`, 'url'), '/a/b%20c');
    assert.equal(resolved(`${PREFIX}a/b c`, 'url'), '/a/b%20c');
    assert.equal(resolved('HTTP://EXAMPLE.org:80/set/a/b%20c', 'url'), '/a/b%20c');
    assert.equal(resolved(`${PREFIX}a`, 'url'), '/a');
  });

  it('names its field when it is not said which', () => {
    assert.throws(() => resolveLocation({ value: '', type: 'rel_path' }, BASE), /^TidemarkError: location is empty/);
  });

  it('of a URL may be elsewhere', () => {
    for (const [value, key] of [
      ['https://example.com/a', 'https://example.com/a'],
      ['https://example.com', 'https://example.com/'],
      ['https://example.com?a', 'https://example.com/?a'],
      ['urn:x:some-name', 'urn:x:some-name'],
      ['https://example.com/%7Ea/ä', 'https://example.com/%7Ea/%C3%A4'],
      ['http://example.com:80/a', 'http://example.com/a'],
      ['http:example.com/a', 'http://example.com/a'],
      ['http://example.com/a?[b]', 'http://example.com/a?%5Bb%5D'],
    ] satisfies Case[]) {
      assert.equal(resolved(value, 'url'), key);
    }
  });

  it('of a URL is refused when it is none, or none that can be fetched by everybody', () => {
    for (const [value, code] of [
      ['example.org/a', 'not-a-uri'],
      ['://example.org/a', 'not-a-uri'],
      ['', 'not-a-uri'],
      ['http://me@example.com/a', 'credentials'],
      ['http://:secret@example.com/a', 'credentials'],
      ['http://me:secret@example.com/a', 'credentials'],
      [`${PREFIX}%ff`, 'not-utf-8'],
      [`${PREFIX}${'a'.repeat(2_048)}`, 'uri-too-long'],
      ['urn:a:b', 'uri-too-short'],
    ] satisfies Case[]) {
      assert.equal(resolved(value, 'url'), code, value);
    }
  });

  it('of a URL is refused when it has what no URI contains, and would be listed as another one', () => {
    for (const text of ['%', '%z', '%zz', '%4g', 'a\\b', 'a ']) {
      for (const prefix of [PREFIX, `${PREFIX}a?`, 'https://example.com/', 'https://example.com/?', 'urn:x:some-']) {
        assert.equal(resolved(prefix + text, 'url'), 'not-a-uri', prefix + text);
      }
    }
    assert.equal(resolved(` ${PREFIX}a`, 'url'), 'not-a-uri');
    for (const character of ' "<>^`{|}') {
      for (const prefix of ['https://example.com/', 'https://example.com/?', 'urn:x:some-', `${PREFIX}a?`]) {
        assert.equal(resolved(`${prefix}${character}a`, 'url'), 'not-a-uri', prefix + character);
      }
      assert.equal(resolved(`${PREFIX}a${character}b`, 'url'), `/a${encodeURIComponent(character)}b`);
    }
  });

  it('of a path is refused when it is not one of a file below the root', () => {
    assert.equal(resolved('/a', 'rel_path'), 'outside-root');
    assert.equal(resolved('/data/rootless/a', 'abs_path'), 'outside-root');
    assert.equal(resolved('/data/root', 'abs_path'), 'outside-root');
    assert.equal(resolved('/data/root/../a', 'abs_path'), 'outside-root');
    assert.equal(resolved('/data/root/a', 'abs_path', { resourceRootDir: undefined }), 'no-root');
    for (const path of ['', 'a/', 'a//b']) {
      assert.equal(resolved(path, 'rel_path'), 'empty-segment', path);
      assert.equal(resolved(`/data/root/${path}`, 'abs_path'), 'empty-segment', path);
    }
    assert.equal(resolved('/data/root//a', 'abs_path'), 'empty-segment');
  });

  it('is refused when a segment leads out of its folder, however often it was encoded', () => {
    for (const value of [
      '.',
      '..',
      'a/..',
      '../a',
      'a/./b',
      'a/../b',
      'a\\..\\b',
      '%2e%2E/a',
      'a%2f..%2Fb',
      'a%5c..',
      '%252e%252e/a',
      'a/..?b',
      'a/..#b',
      `%${'25'.repeat(7)}2e`,
      `%${'25'.repeat(20)}2e`,
      // No client encodes a name so often.
      `%${'25'.repeat(20)}41`,
    ]) {
      assert.equal(resolved(value, 'rel_path'), 'outside-root', value);
      assert.equal(resolved(`${PREFIX}${value}`, 'url'), 'outside-root', value);
    }
    assert.equal(resolved('/data/root/a/%2e%2e', 'abs_path'), 'outside-root');
    for (const name of ['...', '.a', 'a.', 'a..b', '..a', '%', '%25', '%41', 'a%2fb']) {
      assert.equal(resolved(name, 'rel_path'), keyOfPath(name));
    }
  });

  it('is refused when XML cannot hold it', () => {
    for (const value of ['a\0b', 'a\tb', 'a\u007fb', 'a\u0085b', 'a\ud800b', 'a\ufffeb', 'a\uffff']) {
      for (const type of ['rel_path', 'url'] as const) assert.equal(resolved(value, type), 'not-representable', value);
    }
    assert.equal(resolved('a\u00a0\u{1f5fa}', 'rel_path'), '/a%C2%A0%F0%9F%97%BA');
  });

  it('mends URIs of other sources as a browser reads them, and leaves what is none', () => {
    for (const [text, uri] of [
      ['https://ex.org/d/a\\b', 'https://ex.org/d/a/b'],
      ['https://ex.org/100%', 'https://ex.org/100%25'],
      ['https://ex.org/a\u00a0', 'https://ex.org/a\u00a0'],
      [' https://ex.org/a|b', 'https://ex.org/a%7Cb'],
      ['no URI', 'no URI'],
    ] as const) {
      assert.equal(mendedUri(text), uri);
    }
  });
});
