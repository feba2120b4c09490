import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { PlatformFile } from '../../../src/datasets/manifest.ts';
import { matchBundle } from '../../../src/datasets/strategies/match-bundle.ts';
import type { BundledFile } from '../../../src/datasets/strategies/read-bundle.ts';

const bundled = (name: string, text = name): BundledFile => ({
  name,
  size: text.length,
  hashes: { md5: hash('md5', text), 'sha-1': hash('sha1', text), 'sha-256': hash('sha256', text) },
});

const file = (path: string, text = path, extra?: PlatformFile['extra']): PlatformFile => ({
  path,
  hashes: [{ algorithm: 'md5', digest: hash('md5', text) }],
  extra,
});

const statuses = (files: readonly PlatformFile[], names: readonly BundledFile[]) => {
  const matched = matchBundle(files, names, false);
  return [matched.files.map(({ status }) => status), matched.otherPaths];
};

describe('the files of a bundle', () => {
  it('are found by their paths, whatever else is in it (d16)', () => {
    const found = statuses([file('a/b'), file('c')], [bundled('c'), bundled('MANIFEST.TXT'), bundled('a/b')]);
    assert.deepEqual(found, [['success', 'success'], ['MANIFEST.TXT']]);
  });

  it('are found in a folder around all of them alone', () => {
    assert.deepEqual(statuses([file('b', 'x')], [bundled('a/b', 'x'), bundled('a/c')]), [['success'], ['a/c']]);
    const missing = [['bundle-incomplete'], ['a/b', 'c']];
    assert.deepEqual(statuses([file('b', 'x')], [bundled('a/b', 'x'), bundled('c')]), missing);
  });

  it('of one path are distinguished by their bytes, as figshare has them (d15)', () => {
    const files = [file('a.1.csv', 'one', { path: 'a.csv' }), file('a.2.csv', 'two', { path: 'a.csv' })];
    const found = statuses(files, [bundled('a.csv', 'two'), bundled('a.csv', 'one')]);
    assert.deepEqual(found, [['success', 'success'], []]);
    assert.deepEqual(statuses(files, [bundled('a.csv', 'two')])[0], ['mismatch-md5', 'bundle-incomplete']);
  });
});
