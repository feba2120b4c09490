import assert from 'node:assert/strict';
import type { PlatformFile } from '../../../../src/datasets/manifest.ts';
import { checkedManifest } from '../../../../src/datasets/platforms/checked-manifest.ts';
import { failureOf } from '../../../support/recorded-replies.ts';

const named = (...paths: readonly string[]): readonly PlatformFile[] =>
  paths.map((path, at) => ({ path, id: String(at + 1), hashes: [] }));

const pathsOf = (files: readonly PlatformFile[]) => checkedManifest(files).map(({ path }) => path);

describe('the manifest of a platform', () => {
  it('keeps paths that are safe, with all else of a file', () => {
    const file: PlatformFile = {
      path: 'data/été 2020.csv',
      size: 7,
      id: '12',
      hashes: [{ algorithm: 'SHA-256', digest: 'AB'.repeat(32) }],
      mimetype: 'text/csv; charset=utf-8',
      platformUrl: 'https://example.org/f/12',
      extra: { description: 'measured' },
    };
    assert.deepEqual(checkedManifest([file]), [
      { ...file, hashes: [{ algorithm: 'sha256', digest: 'ab'.repeat(32) }] },
    ]);
  });

  for (const [path, why] of [
    ['../../etc/passwd', 'leads out of its folder'],
    ['a/../b', 'leads out of its folder'],
    ['/etc/passwd', 'is absolute'],
    ['C:/windows/x', 'is absolute'],
    ['a\\b', 'contains a backslash'],
    ['.', 'has the name "."'],
    ['a/./b', 'has the name "."'],
    ['', 'is empty'],
    ['a//b', 'has an empty name'],
    ['a/', 'has an empty name'],
    ['a\0b', 'contains U+0000'],
    ['a\ud800', 'is no valid Unicode'],
  ] as const)
    it(`refuses the path ${JSON.stringify(path)}, and names it`, async () => {
      const failure = await failureOf(() => checkedManifest(named('good.csv', path)));
      assert.match(failure, /^bad-manifest: /);
      assert.ok(failure.includes(JSON.stringify(path).slice(1, -1)), failure);
      assert.ok(failure.includes(why), failure);
    });

  it('keeps both of two files with one path: the id before the extension, the path as it was in extra (d15)', () => {
    const files = checkedManifest(named('a/data.csv', 'a/data.csv', 'LICENSE', 'LICENSE'));
    assert.deepEqual(
      files.map(({ path, extra }) => [path, extra]),
      [
        ['a/data.csv', undefined],
        ['a/data.2.csv', { path: 'a/data.csv' }],
        ['LICENSE', undefined],
        ['LICENSE.4', { path: 'LICENSE' }],
      ],
    );
  });

  it('renames paths that differ in case or composition alone', () => {
    assert.deepEqual(pathsOf(named('Data.csv', 'data.CSV', 'é.txt', 'e\u0301.txt', 'STRASSE', 'straße')), [
      'Data.csv',
      'data.2.CSV',
      'é.txt',
      'e\u0301.4.txt',
      'STRASSE',
      'straße.6',
    ]);
  });

  it('renames a file where another one needs a folder, whichever comes first', () => {
    assert.deepEqual(pathsOf(named('a', 'A/b', 'c/d/e', 'c/d')), ['a.1', 'A/b', 'c/d/e', 'c/d.4']);
  });

  it('keeps two folders with one name as one', () => {
    assert.deepEqual(pathsOf(named('data/a', 'data/b', 'data/a')), ['data/a', 'data/b', 'data/a.3']);
  });

  it('renames what the set and an item of archive.org need for themselves', () => {
    assert.deepEqual(pathsOf(named('manifest.json', 'MANIFEST.json/x', 'sub/manifest.json', 'name')), [
      'manifest.1.json',
      'MANIFEST.json-folder/x',
      'sub/manifest.json',
      'name.4',
    ]);
  });

  it('does not give a new name that another file has', () => {
    assert.deepEqual(pathsOf(named('a.csv', 'a.2.csv', 'a.csv', 'a.3.csv')), [
      'a.csv',
      'a.2.csv',
      'a.3.csv',
      'a.3.4.csv',
    ]);
  });

  it('shortens names above 255 bytes, between characters, and long paths', () => {
    const long = `${'é'.repeat(500)}.csv`;
    const [, folder] = checkedManifest(named('x', `${'f'.repeat(1000)}/a.csv`));
    assert.match(folder!.path, /^f{246}\.[0-9a-f]{8}\/a\.csv$/);
    const [first, second, deep] = checkedManifest(named(long, `${long.slice(0, -4)}x.csv`, `${'a/'.repeat(800)}b.txt`));
    for (const { path } of [first!, second!]) {
      assert.ok(Buffer.byteLength(path) <= 255, path);
      assert.match(path, /^é+\.[12]\.csv$/);
    }
    assert.equal(first!.extra!.path, long);
    assert.match(deep!.path, /^[0-9a-f]{16}\/b\.txt$/);
  });

  it('makes 10,000 files with one path different, and does so at once', () => {
    const files = Array.from({ length: 10_000 }, () => ({ path: 'a.csv', id: '1', hashes: [] }));
    assert.equal(new Set(pathsOf(files)).size, 10_000);
  });

  for (const url of ['file:///etc/passwd', 'ftp://example.org/x', '/relative', 'https://me:secret@example.org/x'])
    it(`refuses the URL ${url}`, async () => {
      const failure = await failureOf(() => checkedManifest([{ ...named('x.csv')[0]!, platformUrl: url }]));
      assert.match(failure, /^bad-manifest: .*"x\.csv".*only http and https/);
      assert.ok(!failure.includes('secret'));
    });

  it('refuses a digest of another length, and keeps hashes that are not compared in extra', async () => {
    const withHash = (algorithm: string, digest: string) => [{ ...named('x')[0]!, hashes: [{ algorithm, digest }] }];
    assert.match(
      await failureOf(() => checkedManifest(withHash('MD5', 'abc'))),
      /^bad-platform-reply: .*"abc" as the md5 of "x": 32 hexa/,
    );
    const [file] = checkedManifest(withHash('UNF', 'Q==')) as [PlatformFile];
    assert.deepEqual([file.hashes, file.extra], [[], { unf: 'Q==' }]);
  });

  it('takes U+0000 out of what else is said, and keeps a member __proto__ as a member', () => {
    const extra = JSON.parse('{"description": "a\\u0000b", "__proto__": {"polluted": true}}');
    const [file] = checkedManifest([{ ...named('x')[0]!, extra }]) as [PlatformFile];
    assert.equal(file.extra!.description, 'ab');
    assert.deepEqual(Object.keys(file.extra!), ['description', '__proto__']);
    assert.equal(file.extra!.polluted, undefined);
  });
});
