import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ListMultipartUploadsCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { SMALL_PART_BYTES, upload } from '../../src/artifacts/s3/s3-upload.ts';
import { Bucket as OpenBucket } from '../../src/lib/s3/bucket.ts';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
import { WriteRequests } from '../../src/lib/s3/write-requests.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { testArtifactStore } from './artifact-store.ts';

function writeDeep(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

describe('artifacts in a bucket', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);

  it('have at most as many parts as S3 permits, and leave none of more', async () => {
    const location = parseS3Location(rootOf(s3, bucket.name), 'artifacts');
    const opened = new OpenBucket(location, { timeoutMs: 20_000 }, 'artifacts');
    const put = (length: number) =>
      upload(
        new WriteRequests(opened),
        { store: 'x', key: `of-${length}`, body: [Buffer.alloc(length)], hashes: [], sparesMemory: true },
        2,
      );
    try {
      assert.equal((await put(2 * SMALL_PART_BYTES)).length, 2 * SMALL_PART_BYTES);
      const message = `of-${2 * SMALL_PART_BYTES + 1} is longer than an object on S3 can be here, 10.5 MB`;
      await assert.rejects(put(2 * SMALL_PART_BYTES + 1), { code: 'invalid', message });
    } finally {
      opened.close();
    }
    const { Uploads = [] } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
    assert.deepEqual([Uploads, Object.keys(await bucket.files(''))], [[], [`of-${2 * SMALL_PART_BYTES}`]]);
  });
  const prefix = 'some folder/é';

  testArtifactStore('a bucket', () => {
    const place = parseS3Location(rootOf(s3, bucket.name, prefix), 'artifacts');
    return {
      location: { kind: 's3', place, settings: { timeoutMs: 20_000 } },
      async leftovers() {
        const { client, name: Bucket } = bucket;
        const found: string[] = [];
        const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
        found.push(...Uploads.map(({ Key }) => `upload of ${Key}`));
        for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
          found.push(...Contents.map(({ Key }) => Key!).filter((key) => key.startsWith(`${prefix}/.`)));
        }
        return found;
      },
      async fill(keys) {
        const { buckets } = s3;
        if (buckets === undefined) await Promise.all(keys.map((key) => bucket.put(`${prefix}/${key}`, key)));
        // Our own server's objects are files, which take a tenth of the time.
        else for (const key of keys) writeDeep(join(buckets, bucket.name, prefix, key), key);
      },
    };
  });
});
