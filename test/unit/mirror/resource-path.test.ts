import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commonPrefix, freePath, isRenamed, preferredPath } from '../../../src/client/mirror/names/resource-path.ts';
import { foldedName } from '../../../src/client/mirror/names/safe-name.ts';

const PREFIX = 'http://example.org/files/';

/** Names resources as the state does, in memory. */
class Names {
  readonly paths = new Map<string, string>();
  readonly #folded = new Set<string>();
  readonly #fold: (path: string) => string;

  constructor(fold = foldedName) {
    this.#fold = fold;
  }

  name(uri: string, prefix = PREFIX): string {
    const known = this.paths.get(uri);
    if (known !== undefined) return known;
    const path = freePath(uri, prefix, {
      fold: this.#fold,
      hasFile: (folded) => this.#folded.has(folded),
      has: (folded) => [...this.#folded].some((other) => other === folded || other.startsWith(`${folded}/`)),
    });
    this.paths.set(uri, path);
    this.#folded.add(this.#fold(path));
    return path;
  }
}

// Names that meet each other on some file system, and such that are dangerous on one.
const part = fc.oneof(
  fc.constantFrom(
    'a',
    'A',
    'b',
    'a.txt',
    'A.TXT',
    '..',
    '.',
    '',
    '%2e%2e',
    '%2F',
    'con',
    'NUL.txt',
    'lpt1',
    'a.',
    'a ',
  ),
  fc.constantFrom('.tidemark-mirror', '.Tidemark-Mirror.db', '.tidemark-mirror', '_other', '%00', 'é', 'e%CC%81'),
  fc.constantFrom('%', '%zz', '%ff', 'a:b', 'a\\b', '\\..\\b', 'x'.repeat(300), 'é'.repeat(200), '~', 'a~1', '\u202e'),
  fc.string({ maxLength: 8 }),
);
const uri = fc
  .tuple(
    fc.constantFrom(PREFIX, 'http://example.org/', 'http://other.example/', 'file:///', 'urn:'),
    fc.array(part, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '?q=/../x', '#f'),
  )
  .map(([base, parts, rest]) => base + parts.join('/') + rest);

describe('the paths of a copy', () => {
  it('are the decoded paths below the prefix', () => {
    assert.equal(preferredPath(`${PREFIX}maps/K%C3%B6ln%201.tif`, PREFIX), 'maps/Köln 1.tif');
    assert.equal(preferredPath(`${PREFIX}a?page=2&x=/y`, PREFIX), 'a%3Fpage=2&x=%2Fy');
    assert.equal(preferredPath('http://example.org:8080/a/', PREFIX), 'example.org%3A8080/a/_');
  });

  it('are those of the URIs where names that differ only by case or accents are different', () => {
    const parts = ['Index.html', 'index.html', '%C3%A9', 'e%CC%81', 'a%3Fb'];
    const uris = parts.map((part) => `${PREFIX}${part}`);
    const renamedOf = (names: Names) => uris.map((uri) => isRenamed(uri, PREFIX, names.name(uri)));
    assert.deepEqual(renamedOf(new Names((path) => path)), [false, false, false, false, true]);
    assert.deepEqual(renamedOf(new Names()), [false, true, false, true, true]);
  });

  it('have no login', () => {
    assert.equal(preferredPath('http://name:pass@word@example.org/a@b', PREFIX), 'example.org/a@b');
    assert.equal(preferredPath('urn:a@b', PREFIX), 'a@b');
  });

  it('are below what all URIs have in common, up to a slash', () => {
    const prefixOf = (...uris: readonly string[]) => uris.reduce<string | undefined>(commonPrefix, undefined);
    assert.equal(prefixOf('http://h/a/b/c.txt'), 'http://h/a/b/');
    assert.equal(prefixOf('http://h/a/b1', 'http://h/a/b2', 'http://h/a/c/d?x=/y/z'), 'http://h/a/');
    assert.equal(prefixOf('http://h/a', 'http://h.org/a'), '');
    assert.equal(prefixOf('urn:x:1', 'urn:x:2'), '');
  });

  it('are distinct and safe on every file system, whatever the URIs are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(uri, { maxLength: 30 }), (uris) => {
        const names = new Names();
        const paths = uris.map((one) => names.name(one));
        const folded = paths.map(foldedName);
        assert.equal(new Set(folded).size, paths.length);
        for (const path of paths) assertSafe(path);
        // No resource is a file where another one needs a folder.
        for (const one of folded)
          for (const other of folded) assert.ok(!other.startsWith(`${one}/`), `${one} ${other}`);
      }),
      { numRuns: 1_000 },
    );
  });

  it('stay as they are when more resources come', () => {
    fc.assert(
      fc.property(fc.uniqueArray(uri, { maxLength: 12 }), fc.uniqueArray(uri, { maxLength: 12 }), (first, more) => {
        const names = new Names();
        const before = first.map((one) => names.name(one));
        for (const one of more) names.name(one);
        assert.deepEqual(
          first.map((one) => names.name(one)),
          before,
        );
      }),
    );
  });

  it('have a suffix where two resources would meet', () => {
    const names = new Names();
    assert.equal(names.name(`${PREFIX}a.txt`), 'a.txt');
    assert.match(names.name(`${PREFIX}A.TXT`), /^A~[0-9a-f]{8}\.TXT$/);
    assert.match(names.name(`${PREFIX}a.txt/b`), /^a~[0-9a-f]{8}\.txt\/b$/);
    assert.equal(names.name(`${PREFIX}d/e`), 'd/e');
    assert.match(names.name(`${PREFIX}d`), /^d~[0-9a-f]{8}$/);
  });
});

function assertSafe(path: string): void {
  for (const name of path.split('/')) {
    assert.ok(name !== '' && name !== '.' && name !== '..', path);
    assert.ok(Buffer.byteLength(name) <= 255, path);
    assert.doesNotMatch(name, /[\u0000-\u001f\u007f<>:"\\|?*]|[. ]$/);
    assert.doesNotMatch(name, /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
  }
  assert.ok(!foldedName(path).startsWith('.tidemark-mirror'), path);
  assert.ok(Buffer.byteLength(path) < 2_000, path);
}
