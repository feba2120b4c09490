import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { knownHashes, type ObjectChecksums } from '../../../src/sources/s3/object-hashes.ts';

const md5 = createHash('md5').update('x').digest('hex');
const sha256 = createHash('sha256').update('x').digest();
const sha1 = createHash('sha1').update('x').digest();

const PLAIN: ObjectChecksums = {
  bucket: 'maps',
  etag: md5,
  encryption: undefined,
  customerKey: false,
  checksumType: undefined,
  sha256: undefined,
  sha1: undefined,
};

describe('the hashes of an object that are known without reading it', () => {
  it('are the MD5 of a plain ETag', () => {
    for (const encryption of [undefined, 'AES256']) assert.deepEqual(knownHashes({ ...PLAIN, encryption }), { md5 });
    assert.deepEqual(knownHashes({ ...PLAIN, etag: md5.toUpperCase() }), { md5 });
  });

  it('are not an ETag that is not the MD5 of the bytes', () => {
    const others: readonly Partial<ObjectChecksums>[] = [
      { etag: `${md5}-2` },
      { etag: undefined },
      { etag: 'v1' },
      { encryption: 'aws:kms' },
      { encryption: 'aws:kms:dsse' },
      { customerKey: true },
      { bucket: 'maps--use1-az4--x-s3' },
    ];
    for (const other of others) assert.deepEqual(knownHashes({ ...PLAIN, ...other }), {}, JSON.stringify(other));
  });

  it('are checksums of the whole object', () => {
    const checksums = { sha256: sha256.toString('base64'), sha1: sha1.toString('base64') };
    for (const checksumType of [undefined, 'FULL_OBJECT']) {
      assert.deepEqual(knownHashes({ ...PLAIN, ...checksums, checksumType, etag: `${md5}-2` }), {
        'sha-256': sha256.toString('hex'),
        'sha-1': sha1.toString('hex'),
      });
    }
  });

  it('are not checksums of checksums, and none of another length', () => {
    const base64 = sha256.toString('base64');
    const others = [
      { sha256: base64, checksumType: 'COMPOSITE' },
      { sha256: `${base64}-3` },
      { sha256: sha1.toString('base64') },
      { sha256: '' },
    ];
    for (const other of others) assert.deepEqual(knownHashes({ ...PLAIN, ...other, etag: undefined }), {});
  });
});
