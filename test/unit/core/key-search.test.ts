import assert from 'node:assert/strict';
import { holder, parseKeySearch } from '../../../src/core/key-search.ts';

describe('A search among keys', () => {
  it('is one for what a key holds, decoded or as it was copied from a URI', () => {
    for (const [part, ...texts] of [
      ['Map 1', 'map%201'],
      ['mäp', 'm%c3%a4p'],
      ['m%C3%A4p', 'm%25c3%25a4p', 'm%c3%a4p'],
      ['100%', '100%25'],
      ['?id=7', '%3fid=7', '?id=7'],
      ['ä?b', '%c3%a4%3fb', '%c3%a4?b'],
      ['a/b', 'a/b'],
      ['a^', 'a%5e', 'a^'],
      ['\ud800', '%ef%bf%bd'],
    ]) {
      assert.deepEqual(parseKeySearch(part!), { where: 'anywhere', texts });
    }
  });

  it('is one for the beginning of a key after a slash or a circumflex', () => {
    for (const [part, ...beginnings] of [
      ['/', '/'],
      ['/Map 1', '/Map%201'],
      ['/?id', '/%3Fid', '/?id'],
      ['^', '', '/'],
      ['^/a', '/a'],
      ['^a', '/a', 'a'],
      ['^a/', '/a/', 'a/'],
      ['/a^b', '/a%5Eb', '/a^b'],
      ['^http://a', '/http://a', 'http://a'],
      ['^?', '/%3F', '/?', '%3F', '?'],
      ['//a', '//a'],
      ['^^a', '/%5Ea', '/^a', '%5Ea', '^a'],
    ]) {
      // A text that begins with another one of them would find nothing more.
      const shortest = beginnings.filter(
        (text) => !beginnings.some((other) => other !== text && text.startsWith(other)),
      );
      assert.deepEqual(parseKeySearch(part!), { where: 'beginning', beginnings: shortest.sort() });
    }
  });

  it('is refused when it is too long', () => {
    for (const character of ['a', ' ', '図']) assert.equal(parseKeySearch(character.repeat(120)).where, 'anywhere');
    assert.equal(parseKeySearch(`^${'a'.repeat(120)}`).where, 'beginning');
    for (const part of ['a'.repeat(121), `/${'a'.repeat(121)}`]) {
      assert.throws(() => parseKeySearch(part), {
        code: 'invalid',
        details: { code: 'bad-query', field: 'contains' },
      });
    }
  });

  it('finds what a key holds in any case, with an encoded character as one', () => {
    const found = (texts: readonly string[], key: string) => holder(texts)(key);
    assert.ok(found(['map'], '/a/MAP-1'));
    assert.ok(found(['x', 'map'], '/map'));
    assert.ok(found(['%20'], '/a%20b'));
    assert.ok(found(['.'], '/a.b'));
    assert.ok(found(['20b'], '/a20b'));
    assert.ok(found(['\n'], '/a\nb'));
    assert.equal(found(['.'], '/ab'), false);
    assert.equal(found(['20'], '/a%20b'), false);
    assert.equal(found(['0b'], '/a%20b'), false);
    assert.equal(found(['x'], '/ab'), false);
    assert.ok(found(['b'], '/a%20b'));
  });
});
