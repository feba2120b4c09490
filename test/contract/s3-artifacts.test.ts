import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ListMultipartUploadsCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
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
