import assert from 'node:assert/strict';
import type { PlatformFile } from '../../../src/datasets/manifest.ts';
import { compareWithManifest } from '../../../src/datasets/strategies/compare-with-manifest.ts';

const CAME = {
  size: 3,
  hashes: { md5: 'a1', 'sha-1': 'b1', 'sha-256': 'c1' },
  otherHashes: { sha512: 'd1' },
};

const file = (size: number | undefined, hashes: Readonly<Record<string, string>>, mimetype?: string): PlatformFile => ({
  path: 'a.csv',
  size,
  hashes: Object.entries(hashes).map(([algorithm, digest]) => ({ algorithm, digest })),
  mimetype,
});

describe('a file compared with what its platform states', () => {
  for (const [title, stated, status] of [
    ['its size alone', file(3, {}), 'success'],
    ['all hashes', file(3, { md5: 'a1', sha1: 'b1', sha256: 'c1', sha512: 'd1' }), 'success'],
    ['a hash in upper case', file(undefined, { md5: 'A1' }), 'success'],
    ['nothing', file(undefined, {}), 'unverified'],
    ['a hash that is not known here', file(undefined, { blake7: 'x' }), 'unverified'],
    ['its size, and a hash that is not known here', file(3, { blake7: 'x' }), 'success'],
    ['another size', file(4, { md5: 'a1' }), 'mismatch-size'],
    ['another MD5', file(3, { md5: 'a2' }), 'mismatch-md5'],
    ['another SHA-1', file(3, { md5: 'a1', sha1: 'b2' }), 'mismatch-sha1'],
    ['another SHA-256', file(3, { sha256: 'c2' }), 'mismatch-sha256'],
    ['another SHA-512', file(3, { sha512: 'd2' }), 'mismatch-other'],
  ] as const) {
    it(`is ${status} when it states ${title} (D26, D47)`, () => {
      assert.equal(compareWithManifest(stated, CAME, false).status, status);
    });
  }

  it('is reported with both values (D26, d13)', () => {
    const { message } = compareWithManifest(file(3, { md5: 'a2' }), CAME, false);
    assert.match(message!, /^a\.csv has the md5 a1, and the platform states a2: .*--accept-mismatch/);
    const accepted = compareWithManifest(file(3, { md5: 'a2' }), CAME, true);
    assert.deepEqual(
      [accepted.status, accepted.message],
      ['accepted-mismatch', message!.replace(/:.*/, '; it was stored by --accept-mismatch')],
    );
  });

  it('is a challenge when HTML came that differs, unless HTML is accepted that differs (d17)', () => {
    const html = { ...CAME, mimetype: 'text/html' };
    const statusOf = (stated: PlatformFile, accept: boolean) => compareWithManifest(stated, html, accept).status;
    assert.equal(statusOf(file(4, {}, 'text/csv'), false), 'blocked-challenge');
    assert.equal(statusOf(file(4, {}, 'text/csv'), true), 'blocked-challenge');
    assert.equal(statusOf(file(4, {}, 'text/html'), false), 'blocked-challenge');
    assert.equal(statusOf(file(4, {}, 'text/html'), true), 'accepted-mismatch');
    assert.equal(statusOf(file(3, { md5: 'a1' }), false), 'success');
    assert.equal(statusOf(file(undefined, {}), false), 'unverified');
  });
});
