import assert from 'node:assert/strict';
import fc from 'fast-check';
import { keyOfNames, keyOfPath } from '../../../src/core/key.ts';
import { entryPath } from '../../../src/publish/dumps/entry-path.ts';

describe('The name of a resource in a package', () => {
  for (const path of ['a', 'a/b c', 'ä/日本語/\u{1f5fa}.xml', `quotes'"<x>`, '...dots', 'UPPER', 'a?b=c#d;e&f+g']) {
    it(`is the path of the file: ${path}`, () => {
      assert.equal(entryPath(keyOfPath(path)), `resources/${path}`);
    });
  }

  for (const [key, name] of [
    ['/100%25', '100%25'],
    ['/a%2Fb', 'a%2Fb'],
    ['/back%5Cslash', 'back%5Cslash'],
    ['/a%0Ab%7F', 'a%0Ab%7F'],
    ['/..', '%2e%2e'],
    ['/a/../b', 'a/%2e%2e/b'],
    ['/%2E%2E/a', '%2E%2E/a'],
    ['/.', '%2e'],
    ['/a//b', 'a/%2f/b'],
    ['/a/', 'a/%2f'],
    ['/%FF', '%FF'],
  ] as const) {
    it(`escapes what no file may be called: ${key}`, () => {
      assert.equal(entryPath(key), `resources/${name}`);
    });
  }

  it('does not exist for a URI elsewhere', () => {
    assert.equal(entryPath('https://example.org/a'), undefined);
  });

  it('differs for any two keys, and leads nowhere else when it is unpacked', () => {
    const segment = fc.oneof(
      fc.constantFrom('', '.', '..', '%', '/', '\\', '%2F', '%2e', 'a'),
      fc.string({ unit: 'grapheme' }),
    );
    const names = fc
      .array(segment, { minLength: 1, maxLength: 3 })
      .filter((all) => all.every((one) => one.isWellFormed()));
    fc.assert(
      fc.property(names, names, (one, other) => {
        const [key, otherKey] = [keyOfNames(one), keyOfNames(other)];
        const [path, otherPath] = [entryPath(key)!, entryPath(otherKey)!];
        assert.equal(path === otherPath, key === otherKey);
        assert.ok(!/(^|\/)\.{0,2}(\/|$)/.test(path), path);
        assert.ok(!/[\u0000-\u001f\\]/.test(path), path);
      }),
    );
  });
});
