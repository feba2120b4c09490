import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { keyOfRequestPath, uriOf } from '../../../src/core/key.ts';
import { keyOfRecordId, recordIdOfKey } from '../../../src/core/record-key.ts';

const PREFIX = 'https://example.org/sets/cdl/resources/';

/** Ids that need care, and their keys. */
const KEYS: readonly (readonly [id: string, key: string])[] = [
  ['1', '/1'],
  ['oai:example.org:1', '/oai:example.org:1'],
  ['http://ark.cdlib.org/ark:/13030/tf6', '/http:%2F%2Fark.cdlib.org%2Fark:%2F13030%2Ftf6'],
  ['.', '/=.'],
  ['..', '/=..'],
  ['...', '/...'],
  ['.hidden', '/.hidden'],
  ['a/../b', '/a%2F..%2Fb'],
  ['../../etc/passwd', '/..%2F..%2Fetc%2Fpasswd'],
  ['/', '/%2F'],
  ['//', '/%2F%2F'],
  ['a/', '/a%2F'],
  ['a b', '/a%20b'],
  [' ', '/%20'],
  ['100%', '/100%25'],
  ['%2F', '/%252F'],
  ['a#b', '/a%23b'],
  ['a?b=c&d', '/a%3Fb=c&d'],
  ['=', '/=='],
  ['=.', '/==.'],
  ['=:', '/==:'],
  ['==', '/==='],
  ['a=b', '/a=b'],
  ['café', '/caf%C3%A9'],
  ['cafe\u0301', '/cafe%CC%81'],
  ['地図\u{1f5fa}', '/%E5%9C%B0%E5%9B%B3%F0%9F%97%BA'],
  ['line\nbreak\0', '/line%0Abreak%00'],
  ['back\\slash', '/back%5Cslash'],
  ['\ufffd', '/%EF%BF%BD'],
];

const LONG = [
  'a'.repeat(201),
  `=${'b'.repeat(500)}.`,
  '\u{1f5fa}'.repeat(110),
  `${'c/'.repeat(340)}..`,
  '.'.repeat(1_400),
];

describe('the key of a record', () => {
  it('is one name of a path, whatever the id holds', () => {
    for (const [id, key] of KEYS) assert.equal(keyOfRecordId(id), key);
  });

  it('gives the id back', () => {
    for (const id of [...KEYS.map(([id]) => id), ...LONG]) assert.equal(recordIdOfKey(keyOfRecordId(id)), id);
  });

  it('is another one for every id', () => {
    const ids = [...KEYS.map(([id]) => id), ...LONG, 'x'.repeat(5_000), 'x'.repeat(5_001)];
    assert.equal(new Set(ids.map(keyOfRecordId)).size, ids.length);
  });

  it('is what the path of a request means, also when a parser has read it', () => {
    for (const id of [...KEYS.map(([id]) => id), ...LONG, 'x'.repeat(5_000)]) {
      const key = keyOfRecordId(id);
      const { href } = new URL(uriOf(PREFIX, key));
      assert.equal(keyOfRequestPath(href.slice(PREFIX.length)), key, id);
    }
  });

  it('has names that a file system takes, none of which is a folder for another id', () => {
    const folders = new Set<string>();
    const files = new Set<string>();
    const tails = ['', 'x', '/', '/x'];
    const lengths = [199, 200, 201, 202, 400, 401, 402, 403, 404, 413, 603, 604];
    const ids = [...LONG, ...lengths.flatMap((length) => ['a'.repeat(length), '='.repeat(length)])];
    for (const id of [...ids.flatMap((id) => tails.map((tail) => id + tail)), ...KEYS.map(([id]) => id)]) {
      const names = keyOfRecordId(id).slice(1).split('/');
      for (const name of names) assert.ok(name.length <= 255 && name !== '' && !/^\.{1,2}$/.test(name), name);
      files.add(names.join('/'));
      for (let at = 1; at < names.length; at++) folders.add(names.slice(0, at).join('/'));
    }
    assert.ok(folders.size > 0);
    assert.deepEqual(
      [...folders].filter((folder) => files.has(folder)),
      [],
    );
  });

  it('holds the digest of an id that no URI would hold, and gives no id then', () => {
    const id = 'é'.repeat(1_000);
    assert.equal(keyOfRecordId(id), `/=:${hash('sha256', id, 'hex')}`);
    assert.equal(recordIdOfKey(keyOfRecordId(id)), undefined);
  });

  it('is not made of an id that is empty or no UTF-8', () => {
    assert.throws(() => keyOfRecordId(''), { code: 'invalid', message: /empty id/ });
    assert.throws(() => keyOfRecordId('a\ud800'), { code: 'invalid', message: /has an unpaired surrogate/ });
  });

  it('of others means no id', () => {
    for (const key of [
      '/',
      '/=a',
      '/=',
      '/a/b',
      '/==a/b',
      '/%zz',
      '/a?b',
      'https://example.org/a',
      `/${'a'.repeat(201)}`,
    ]) {
      assert.equal(recordIdOfKey(key), undefined, key);
    }
  });
});
